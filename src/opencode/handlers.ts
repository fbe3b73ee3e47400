/** The handlers of the plugin: each passes what opencode reports to the hooks, and never rejects. */
import { ownCommand } from "@/common/ownCommand";
import { describeError } from "@/common/errors";
import { isJsonObject } from "@/common/json";
import type { PluginInstance } from "@/opencode/instance";
import type { OpencodeEvent, PluginHooks } from "@/opencode/opencodeTypes";
import { forgetDeleted } from "@/opencode/sessions";
import { sharedState } from "@/opencode/sharedState";
import {
  messageAdded,
  sessionIdle,
  sessionInterrupted,
  taskBegins,
  taskEnded,
} from "@/opencode/stops";

/** @param isRun whether opencode ends as soon as the agent stops, so that it has to wait for hooks */
export function handlersOf(instance: PluginInstance, isRun: boolean): PluginHooks {
  const { pending } = sharedState();
  const guard = new Guard(instance);
  return {
    async event({ event }) {
      const work = guard.run(event.type, () => onEvent(instance, event));
      pending.add(work);
      await work;
      pending.delete(work);
    },
    async "chat.message"({ sessionID }, { parts = [] }) {
      await guard.run("chat.message", () => messageAdded(instance, sessionID, parts));
    },
    "tool.execute.before"(call) {
      taskBegins(call);
      return Promise.resolve();
    },
    async "tool.execute.after"(call, result) {
      await guard.run("tool.execute.after", () => taskEnded(instance, call, result));
    },
    async dispose() {
      // Other commands continue: they load the plugin again, or they end the hooks when they end.
      while (isRun && pending.size > 0) await Promise.all(pending);
    },
  };
}

async function onEvent(
  instance: PluginInstance,
  { id, type, properties }: OpencodeEvent
): Promise<void> {
  const { sessionID, info } = isJsonObject(properties) ? properties : {};
  switch (type) {
    case "session.idle":
      if (typeof sessionID === "string") await sessionIdle(instance, sessionID, id);
      break;
    case "session.error":
      // An agent that failed or was interrupted does not wait for its sub-agents.
      if (typeof sessionID === "string") sessionInterrupted(sessionID);
      break;
    case "session.deleted":
      if (isJsonObject(info) && typeof info.id === "string") {
        await forgetDeleted(instance.place, info.id);
      }
      break;
  }
}

/** Converts exceptions to notices: an error of the plugin must not affect opencode. */
class Guard {
  /** Errors that were shown once and are only logged again. */
  readonly #shown = new Set<string>();

  constructor(private readonly instance: PluginInstance) {}

  /** Never rejects. */
  async run(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const text = `the hooks did not run because of an error in ${what}: ${describeError(thrown)}; opencode continues without them; run "${ownCommand()} doctor" to check the installation`;
      if (this.#shown.has(text) || this.#shown.size >= MAX_ERRORS) return;
      this.#shown.add(text);
      this.instance.notices.show("error", text);
    }
  }
}

const MAX_ERRORS = 20;
