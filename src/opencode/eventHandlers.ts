/**
 * The functions that opencode calls for its events: messages of the user and tasks begin turns, idle sessions and ended
 * sub-agents run hooks, and the parent of a sub-agent gets its last report. A deleted session loses its transcript. No
 * function rejects, and errors are shown to the user.
 */
import { shownCommand } from "@/common/ownCommandName";
import { describeError } from "@/common/errors";
import { isJsonObject, objectOf } from "@/common/json";
import type { PluginInstance } from "@/opencode/Notices";
import type * as opencode from "@/opencode/opencodeTypes";
import { forget, sharedState, hooksOf } from "@/opencode/sessionRegistry";
import type { ChangedAnswer } from "@/opencode/SessionHooks";
import { isFromUser, removeTranscript } from "@/opencode/transcript";

/**
 * Returns the handlers that opencode calls.
 *
 * @param isRun whether opencode ends as soon as the agent stops, so that it has to wait for hooks
 */
export function handlersOf(instance: PluginInstance, isRun: boolean): opencode.PluginHooks {
  const { pending } = sharedState();
  /** Errors that were shown once and are not shown again. */
  const shown = new Set<string>();
  /** Converts exceptions to notices: an error of the plugin must not affect opencode. Never rejects. */
  const guarded = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      const text = `the hooks did not run because of an error in ${what}: ${describeError(thrown)}; opencode continues without them; run "${shownCommand()} doctor" to check the installation`;
      if (shown.has(text) || shown.size >= MAX_ERRORS) return;
      shown.add(text);
      instance.notices.show("error", text);
    }
  };
  return {
    async event({ event }) {
      const work = guarded(event.type, () => onEvent(instance, event));
      pending.add(work);
      await work;
      pending.delete(work);
    },
    async "chat.message"({ sessionID }, { parts = [] }) {
      await guarded("chat.message", () => messageAdded(instance, sessionID, parts));
    },
    "tool.execute.before"(call) {
      taskBegins(call);
      return Promise.resolve();
    },
    async "tool.execute.after"(call, result) {
      await guarded("tool.execute.after", () => taskEnded(instance, call, result));
    },
    async dispose() {
      // Other commands continue: they load the plugin again, or they end the hooks when they end.
      while (isRun && pending.size > 0) await Promise.all(pending);
    },
  };
}

async function onEvent(
  instance: PluginInstance,
  { id, type, properties }: opencode.OpencodeEvent
): Promise<void> {
  const { sessionID, info } = objectOf(properties);
  switch (type) {
    case "session.idle":
      if (typeof sessionID === "string") await sessionIdle(instance, sessionID, id);
      break;
    case "session.error":
      // An agent that failed or was interrupted does not wait for its sub-agents.
      if (typeof sessionID === "string") endHeldHooks(sessionID);
      break;
    case "session.deleted":
      if (isJsonObject(info) && typeof info.id === "string") {
        await forget(info.id);
        await removeTranscript(instance.place, info.id);
      }
      break;
  }
}

const MAX_ERRORS = 20;

/** The tool that starts sub-agents. */
const TASK = "task";

/** Begins a turn if a user wrote the message, or if it is the task of a sub-agent. */
async function messageAdded(
  instance: PluginInstance,
  sessionID: string,
  parts: readonly opencode.Part[]
): Promise<void> {
  if (!isFromUser(parts)) return;
  const { tasks, reporting } = sharedState();
  let hooks = await hooksOf(instance, sessionID);
  const callID = [...(tasks.get(hooks.parentID ?? "") ?? [])].at(-1);
  if (callID === undefined) reporting.delete(sessionID);
  else {
    // An agent may continue a sub-agent of an earlier turn, whose plan is outdated. A second instance finds a new plan.
    if (hooks.hasBegun && reporting.get(sessionID) !== callID) {
      await forget(sessionID);
      hooks = await hooksOf(instance, sessionID);
    }
    reporting.set(sessionID, callID);
  }
  await hooks.beginTurn(instance);
}

/** Runs the hooks of an agent that has stopped. Those of a sub-agent with a task run in {@link taskEnded}. */
async function sessionIdle(
  instance: PluginInstance,
  sessionID: string,
  eventID: string | undefined
): Promise<void> {
  endHeldHooks(sessionID);
  const { sessions, reporting } = sharedState();
  if (reporting.has(sessionID)) return;
  const hooks = await sessions.get(sessionID);
  await hooks?.agentStopped(instance, eventID);
}

/** Ends the hooks of sub-agents for which a session waits. It would not be idle if it still waited. */
function endHeldHooks(sessionID: string): void {
  const { held, tasks } = sharedState();
  tasks.delete(sessionID);
  for (const hooks of held.get(sessionID) ?? []) hooks.interrupt();
}

function taskBegins({ tool, sessionID, callID }: opencode.ToolCall): void {
  if (tool !== TASK) return;
  const { tasks } = sharedState();
  tasks.set(sessionID, (tasks.get(sessionID) ?? new Set()).add(callID));
}

/** Runs the hooks of a sub-agent. If they send it back, its parent gets the last report instead of the first one. */
async function taskEnded(
  instance: PluginInstance,
  { tool, sessionID, callID }: opencode.ToolCall,
  result: opencode.ToolResult
): Promise<void> {
  if (tool !== TASK) return;
  const { sessions, tasks, reporting, held } = sharedState();
  tasks.get(sessionID)?.delete(callID);
  const { sessionId: childID, background } = objectOf(result.metadata);
  if (typeof childID !== "string") return;
  if (background === true) {
    // The parent has no report yet. The hooks run when the sub-agent is idle.
    reporting.delete(childID);
    return;
  }
  const hooks = await sessions.get(childID);
  if (hooks === undefined) return;
  const waiting = (held.get(sessionID) ?? new Set()).add(hooks);
  held.set(sessionID, waiting);
  try {
    const change = await hooks.agentStopped(instance);
    if (change !== undefined) result.output = replaceReport(result.output, change);
  } finally {
    waiting.delete(hooks);
    reporting.delete(childID);
  }
}

const REPORT_TAG = "<task_result>";

/** Replaces the first report by the last one, and keeps the text that opencode adds. */
function replaceReport(output: string, { first, last }: ChangedAnswer): string {
  // The tags before the report have its session's ID, which may contain a short report.
  const tag = output.indexOf(REPORT_TAG);
  const at = first === "" ? -1 : output.indexOf(first, tag === -1 ? 0 : tag + REPORT_TAG.length);
  if (at === -1) return last;
  return output.slice(0, at) + last + output.slice(at + first.length);
}
