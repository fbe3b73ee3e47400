/**
 * Shows hooks and notices in the chats of Mux as cards: calls of its tool `bash`, since Mux draws nothing else while
 * the end of a turn is held (H24). They reach only the listeners of a chat, and no transcript or model. `HostProgress`
 * makes cards of the engine's events; most notices are also logged.
 */
import { randomUUID } from "node:crypto";
import { findUnfinished, terminalText, clip, plainText, visible } from "@/common/safeText";
import type { HostAgentSession } from "@/host/muxTypes";
import type { HookEvent, HookRun } from "@/node/services/hooks/index";

/** The tool whose calls a host draws with a running time, live output and an exit code. */
const TOOL = "bash";
/** How long output is collected before it is shown. */
const FLUSH_MS = 200;
/** The longest part of a control sequence that waits for its rest. */
const MAX_SEQUENCE_CHARS = 1_000;
const MAX_OUTPUT_CHARS = 10_000;
/** The number of notices that wait for the first message of a chat. */
const MAX_WAITING = 20;

/** A chat of the host. */
export type ChatSession = Pick<HostAgentSession, "workspaceId" | "emitChatEvent">;

export interface CardStart {
  readonly title: string;
  /** The hook, or what the notice is about. */
  readonly script: string;
  readonly timeoutMs?: number;
}

export interface CardEnd {
  readonly exitCode: number;
  readonly output: string;
  /** Set for a failure. */
  readonly error?: string;
  readonly durationMs: number;
}

/** The message of a chat that cards are added to. */
interface Chat {
  messageId?: string | undefined;
  /** The number of warnings so far. */
  warnings: number;
  /** Show the notices that wait for the first message. */
  readonly waiting: (() => void)[];
}

export class ChatCards {
  readonly #chats = new WeakMap<ChatSession, Chat>();

  constructor(private readonly log: (text: string) => void) {}

  /** Adds the next cards of a chat to this message, and shows the notices that waited for one. */
  useMessage(session: ChatSession, messageId: string): void {
    const chat = this.#chatOf(session);
    chat.messageId = messageId;
    for (const show of chat.waiting.splice(0)) show();
  }

  /** Starts a card. Returns undefined if the chat has no message yet. */
  start(session: ChatSession, card: CardStart): Card | undefined {
    const { messageId } = this.#chatOf(session);
    return messageId === undefined ? undefined : new Card(session, messageId, card);
  }

  /** Logs a notice for the user, and shows it in the chat that it concerns. */
  notify(
    session: ChatSession | undefined,
    text: string,
    level: "info" | "warning" = "warning"
  ): void {
    this.log(text);
    if (session === undefined) return;
    if (level === "warning") this.#chatOf(session).warnings++;
    this.show(session, text, level);
  }

  /** Logs a notice, and shows it in the next message of the chat, which is about to be streamed. */
  notifyInNext(session: ChatSession, text: string): void {
    this.#chatOf(session).messageId = undefined;
    this.notify(session, text);
  }

  /** Returns the number of warnings that {@link notify} has shown in a chat. */
  warningsIn(session: ChatSession): number {
    return this.#chatOf(session).warnings;
  }

  /** Shows a notice that is not logged. */
  show(session: ChatSession, text: string, level: "info" | "warning" = "warning"): void {
    const { messageId, waiting } = this.#chatOf(session);
    const show = (): void => {
      const failure = level === "info" ? {} : { error: text };
      const end = { exitCode: level === "info" ? 0 : 1, output: text, durationMs: 0, ...failure };
      this.start(session, { title: "mux-stop-hooks", script: text })?.end(end);
    };
    if (messageId !== undefined) show();
    else if (waiting.length < MAX_WAITING) waiting.push(show);
  }

  #chatOf(session: ChatSession): Chat {
    const chat = this.#chats.get(session) ?? { warnings: 0, waiting: [] };
    this.#chats.set(session, chat);
    return chat;
  }
}

/** One card, from the start of a hook to its end. */
export class Card {
  readonly #toolCallId = `mux-stop-hooks-${randomUUID()}`;
  #unshown = { text: "", isError: false };
  #flush: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    private readonly session: ChatSession,
    private readonly messageId: string,
    { title, script, timeoutMs = 0 }: CardStart
  ) {
    const args = {
      // Hosts show this text in the line of a call, and the name below.
      script: clean(title.includes(script) ? title : `${title}: ${script}`),
      display_name: visible(clean(title)),
      // Hosts draw a call without a time limit as one of an unknown tool.
      timeout_secs: Math.max(1, Math.ceil(timeoutMs / 1000)),
      run_in_background: false,
    };
    // A separate event for the start of the execution would end the chat's stream before v0.28.1.
    const started = { tokens: 0, executionStartedAt: Date.now() };
    // `mux acp` has the editor execute a live call. It only shows a replayed one.
    this.#emit("tool-call-start", { toolName: TOOL, args, replay: true, ...started });
  }

  /** Shows output of the running hook. */
  output(text: string, isError: boolean): void {
    if (this.#isOver) return;
    if (this.#unshown.isError !== isError) this.#showOutput();
    this.#unshown = { text: this.#unshown.text + text, isError };
    this.#flush ??= setTimeout(() => {
      const { text: all } = this.#unshown;
      // A control sequence may have arrived in part.
      const at = findUnfinished(all);
      this.#showOutput(all.length - at > MAX_SEQUENCE_CHARS ? all.length : at);
    }, FLUSH_MS).unref();
  }

  end({ exitCode, output, error, durationMs }: CardEnd): void {
    if (this.#isOver) return;
    this.#showOutput();
    this.#isOver = true;
    const failure = error === undefined ? {} : { error: clean(error) };
    const text = { exitCode, output: clean(output), wall_duration_ms: Math.round(durationMs) };
    const result = { success: error === undefined, ...text, ...failure };
    this.#emit("tool-call-end", { toolName: TOOL, result });
  }

  /** @param end the offset in the output at which the unshown rest begins */
  #showOutput(end?: number): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const { text: all, isError } = this.#unshown;
    const text = all.slice(0, end);
    this.#unshown = { text: all.slice(text.length), isError };
    if (text !== "") this.#emit("bash-output", { text: clean(text), isError });
  }

  #emit(type: string, more: object): void {
    const { session, messageId } = this;
    const { workspaceId } = session;
    const call = { workspaceId, messageId, toolCallId: this.#toolCallId, timestamp: Date.now() };
    try {
      session.emitChatEvent?.({ type, ...call, ...more });
    } catch {
      // A host that cannot show the card continues without it.
    }
  }
}

function clean(text: string): string {
  return clip(terminalText(plainText(text)), MAX_OUTPUT_CHARS);
}

/** Shows the events of the hooks of one workspace as cards and notices. */
export class HostProgress {
  /** The cards of the hooks that run, by their numbers. */
  readonly #cards = new Map<number, Card>();
  #started = 0;

  constructor(private readonly options: { session: ChatSession; cards: ChatCards }) {}

  onEvent(event: HookEvent): void {
    const { session, cards } = this.options;
    switch (event.type) {
      case "hooks-start":
        this.#started = performance.now();
        break;
      case "hook-start": {
        const { title: script, timeoutMs, index } = event;
        const title = `${event.event} hook${event.total === 1 ? "" : ` ${index} of ${event.total}`}: ${event.label}`;
        const card = cards.start(session, { title, script, timeoutMs });
        if (card !== undefined) this.#cards.set(index, card);
        break;
      }
      case "hook-output":
        this.#cards.get(event.index)?.output(event.text, event.isError);
        break;
      case "hook-end":
        this.#cards.get(event.index)?.end(describeRun(event.run));
        this.#cards.delete(event.index);
        break;
      case "hooks-end":
        // After an interrupt, hooks may still be running.
        this.cancelled();
        break;
      case "notice":
        cards.notify(session, event.text, event.level);
        break;
    }
  }

  /** Ends the cards of all hooks that run. A page does not draw the end of a card after the end of its message. */
  cancelled(): void {
    for (const card of this.#cards.values()) {
      const durationMs = performance.now() - this.#started;
      card.end({ exitCode: 130, output: "", error: "cancelled", durationMs });
    }
    this.#cards.clear();
  }
}

/** Describes the result of a hook: what it sent back to the agent, or printed. */
function describeRun(run: HookRun): Parameters<Card["end"]>[0] {
  const { outcome, reason, context, stdout = "", stderr = "", end, warnings, durationMs } = run;
  const output = reason ?? context ?? [stdout, stderr].filter((text) => text !== "").join("\n");
  const code = end?.kind === "exited" ? end.code : undefined;
  switch (outcome) {
    case "pass":
    case "end":
      return { exitCode: code ?? 0, output, durationMs };
    case "background":
      return { exitCode: 0, output: "runs in the background", durationMs };
    case "block":
    case "feedback":
      return { exitCode: code ?? 2, output, error: "the agent was sent back to work", durationMs };
    case "failed":
    case "ignored":
    case "cancelled": {
      const error = warnings.length === 0 ? outcome : warnings.join("\n");
      return { exitCode: code ?? 1, output, error, durationMs };
    }
  }
}
