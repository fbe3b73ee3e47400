/**
 * Runs the hooks of one opencode session: Stop hooks, or SubagentStop hooks for the session of a sub-agent. Sends the
 * agent back with their reasons until they allow the stop, a limit is reached or the user interrupts. This module loads
 * the engine, so the plugin imports it at the first message.
 */
import { realpath } from "node:fs/promises";
import { firstLine, plural } from "@/common/safeText";
import { describeError } from "@/common/errors";
import { checkoutAround } from "@/node/runtime/local/findCheckout";
import * as hooks from "@/node/services/hooks/index";
import { finalText } from "@/common/chatMessage";
import { dataOf, describeReplyError, type PluginInstance } from "@/opencode/Notices";
import type { Message, PromptBody, Session } from "@/opencode/opencodeTypes";
import * as transcripts from "@/opencode/transcript";
import { createRuntime, findPersonFiles, hookLoadOptions } from "@/wiring";

/** The number of messages at the end of a session that hooks get as its transcript. */
const MAX_MESSAGES = 300;
/** Hooks that take less time are not announced. */
const PROGRESS_AFTER_MS = 1_000;

export class SessionHooks {
  /** @param parent the hooks of the parent, whose plan a sub-agent keeps (H7) */
  static async open(
    instance: PluginInstance,
    session: Session,
    parent?: SessionHooks
  ): Promise<SessionHooks> {
    const { place } = instance;
    const directory = session.directory ?? instance.directory;
    const runtime = createRuntime(place.env);
    // The record of trusted projects has real paths.
    const realDir = await realpath(directory).catch(() => directory);
    const projectDir = await checkoutAround(realDir, place.home);
    const person = await findPersonFiles(runtime, place, projectDir);
    const { builtins, ...load } = hookLoadOptions(runtime, place, { namesVariable: true });
    return new SessionHooks(instance, session, directory, {
      ...{ runtime, projectDir, person, builtins, load, host: "opencode", turn: parent?.turn },
      event: session.parentID === undefined ? "Stop" : "SubagentStop",
    });
  }

  readonly #controller: hooks.StopHookController;
  /** Whether a stop of this turn runs no hook and notifies the user of nothing. */
  #hasNothingToRun = false;
  /** Whether a turn has begun. */
  hasBegun = false;
  /** Incremented with each message of the user and each interrupt. A decision of an earlier turn has no effect. */
  #turn = 0;
  /** The ID of the last answer for which hooks were run, or that was added while they ran. */
  #decided = "";
  /** The ID of the event that reported this answer, if it has arrived. */
  #idleEvent: string | undefined;
  #isDeciding = false;
  #isPrompting = false;
  #progress: NodeJS.Timeout | undefined;
  /** The messages about the hooks that run, by their numbers. */
  readonly #running = new Map<number, string>();

  private constructor(
    private instance: PluginInstance,
    private readonly session: Session,
    private readonly directory: string,
    private readonly options: hooks.StopHookControllerOptions
  ) {
    this.#controller = new hooks.StopHookController({
      ...options,
      onEvent: (event) => {
        this.#onEvent(event);
      },
    });
  }

  get parentID(): string | undefined {
    return this.session.parentID;
  }

  /** The plan of the turn, which sub-agents keep. */
  get turn(): hooks.FrozenTurn | undefined {
    return this.#controller.turn;
  }

  get isBusy(): boolean {
    return this.#isDeciding || this.#isPrompting;
  }

  /** Begins a turn with a message of the user, or with the task of a sub-agent. Hooks that run are cancelled (H22). */
  async beginTurn(instance: PluginInstance): Promise<void> {
    this.instance = instance;
    this.#cancel();
    this.hasBegun = true;
    this.#hasNothingToRun = (await this.#controller.beginTurn()) !== undefined;
  }

  /**
   * Runs the hooks for the last answer, and sends the agent back until they agree. Does nothing for an answer for which
   * they were run before, and for one of an earlier process, since only an interrupt reports it. Rejects if opencode does
   * not answer.
   *
   * @param idleEvent the ID of the event that reported the stop, if it was an event
   * @returns the first and the last answer of the agent if it was sent back
   */
  async agentStopped(
    instance: PluginInstance,
    idleEvent?: string
  ): Promise<ChangedAnswer | undefined> {
    this.instance = instance;
    if (this.#isDeciding) {
      if (this.#idleEvent === undefined) this.#idleEvent = idleEvent;
      else if (idleEvent !== undefined) await this.#idleAgain(idleEvent);
      return undefined;
    }
    const turn = this.#turn;
    let event = idleEvent;
    let answers: ChangedAnswer | undefined;
    while (this.hasBegun && !this.#hasNothingToRun) {
      const messages = await this.#readMessages();
      const end = transcripts.turnEnd(messages);
      if (end === undefined || turn !== this.#turn) break;
      const text = textOf(end);
      answers = { first: answers?.first ?? text, last: text };
      if (end.answerID === this.#decided) {
        this.#idleEvent ??= event;
        break;
      }
      this.#decided = end.answerID;
      this.#idleEvent = event;
      const verdict = await this.#decide(messages, end, turn);
      if (turn !== this.#turn) break;
      if (verdict.action === "end") {
        const isMain = this.session.parentID === undefined;
        if (isMain && this.#controller.continuations > 0)
          this.instance.notices.printOnly(`the final answer of the agent:\n${text}`);
        break;
      }
      const reason = verdict.message.slice(verdict.message.indexOf("\n") + 1);
      this.instance.notices.show(
        "info",
        `the ${this.options.event} hooks sent the agent back to work (${plural(verdict.continuation, "time")} in this turn): ${firstLine(reason)}`
      );
      await this.#send(transcripts.continuationOf(messages, verdict.message));
      event = undefined;
    }
    return this.#controller.continuations > 0 ? answers : undefined;
  }

  /** Ends the turn after an interrupt by the user. The results of running hooks do not count (H22). */
  interrupt(): void {
    this.#cancel();
    if (!this.#isPrompting) return;
    void this.instance.client.session.abort({ path: { id: this.session.id } }).catch(() => {
      // opencode has ended.
    });
  }

  async dispose(): Promise<void> {
    this.#cancel();
    await this.#controller.dispose();
  }

  /** Processes another event while hooks run. A second one for one answer is an interrupt by the user. */
  async #idleAgain(event: string): Promise<void> {
    const turn = this.#turn;
    const messages = await this.#readMessages().catch(() => undefined);
    const end = messages && transcripts.turnEnd(messages);
    // Another instance of the plugin may have processed this event in the meantime.
    if (event === this.#idleEvent || turn !== this.#turn) return;
    // It also ends a continuation that was sent in the meantime.
    if (messages === undefined || end?.answerID === this.#decided) this.interrupt();
    // The user ran a shell command or a compaction, which adds a message.
    else if (end !== undefined && this.#isDeciding)
      [this.#decided, this.#idleEvent] = [end.answerID, event];
  }

  #cancel(): void {
    this.#turn++;
    this.#controller.cancel();
  }

  async #decide(
    messages: readonly Message[],
    end: transcripts.TurnEnd,
    turn: number
  ): Promise<hooks.StopVerdict> {
    this.#isDeciding = true;
    try {
      const rows = transcripts.toRows(this.session.id, messages);
      const plan = this.#controller.turn?.began.settings.hooks;
      const mayRunHooks = plan?.some(({ event }) => event === this.options.event) ?? true;
      if (end.finish === "stop" && !end.isCompaction && mayRunHooks) {
        const written = await transcripts.writeTranscript(
          this.instance.place,
          this.session.id,
          rows
        );
        if (written.isErr()) this.instance.notices.show("warning", written.error);
      }
      return await this.#controller.turnEnded({
        finish: end.finish,
        compaction: end.isCompaction,
        hasQueuedInput: () => turn !== this.#turn,
        input: this.#input(end),
      });
    } finally {
      this.#isDeciding = false;
      clearTimeout(this.#progress);
    }
  }

  #input(end: transcripts.TurnEnd): hooks.FinishedTurn["input"] {
    const { id, parentID } = this.session;
    const { place } = this.instance;
    const transcript = transcripts.transcriptPath(place, id);
    const input = {
      session_id: id,
      transcript_path: transcript,
      cwd: this.directory,
      permission_mode: end.agent === "plan" ? "plan" : "default",
      last_assistant_message: textOf(end),
    };
    if (parentID === undefined) return input;
    return {
      ...input,
      agent_id: id,
      agent_type: end.agent,
      agent_transcript_path: transcript,
      parent_session_id: parentID,
      parent_transcript_path: transcripts.transcriptPath(place, parentID),
    };
  }

  /** Resolves when the agent has answered. Its next stop may have been processed by then. */
  async #send(body: PromptBody): Promise<void> {
    this.#isPrompting = true;
    let problem: string | undefined;
    try {
      const path = { id: this.session.id };
      const { error } = await this.instance.client.session.prompt({ path, body });
      if (error !== undefined) problem = describeReplyError(error);
    } catch (thrown) {
      problem = describeError(thrown);
    }
    this.#isPrompting = false;
    if (problem === undefined) return;
    this.instance.notices.show(
      "error",
      `the hooks asked the agent to continue, but opencode did not accept this: ${problem}; the agent stopped with its work unfinished, so tell it to continue`
    );
  }

  async #readMessages(): Promise<readonly Message[]> {
    const { session } = this.instance.client;
    const request = { path: { id: this.session.id }, query: { limit: MAX_MESSAGES } };
    return dataOf("session.messages", await session.messages(request));
  }

  #onEvent(event: hooks.HookEvent): void {
    if (event.type === "notice") this.instance.notices.show(event.level, event.text);
    else if (event.type === "hooks-end") this.#running.clear();
    else if (event.type === "hook-end") this.#running.delete(event.index);
    else if (event.type === "hook-start") {
      const { index, total, label } = event;
      this.#running.set(index, `${event.event} hook ${index} of ${total} is running: ${label}`);
      clearTimeout(this.#progress);
      this.#progress = setTimeout(() => {
        const [text] = this.#running.values();
        if (text !== undefined) this.instance.notices.toast("info", text);
      }, PROGRESS_AFTER_MS);
    }
  }
}

/** Two answers of an agent that was sent back. */
export interface ChangedAnswer {
  readonly first: string;
  readonly last: string;
}

function textOf({ answer }: transcripts.TurnEnd): string {
  return finalText(answer.parts.flatMap(transcripts.toPart));
}
