/**
 * The messages of an embedded session that wait to be sent, with their kinds and options: which go first, which begin a
 * turn, and which an interrupt drops. Also creates continuations and requests for a compaction, and derives the
 * permission mode of a turn.
 */
import type { MuxMetadata, TurnOptions } from "@/common/chatMessage";
import { definedOnly } from "@/common/definedOnly";
import { continuationRow } from "@/node/services/hooks/index";

export class MessageQueue {
  #messages: OutgoingMessage[] = [];

  /** Adds a message. Consecutive messages that the user typed become one, with the options of the later one. */
  add(message: OutgoingMessage): void {
    const last = this.#messages.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(message)) {
      this.#messages.splice(-1, 1, { ...message, text: `${last.text}\n${message.text}` });
    } else this.#messages.push(message);
  }

  addFirst(messages: readonly OutgoingMessage[]): void {
    this.#messages.unshift(...messages);
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  /** Whether a message waits that takes precedence over the hooks' verdict (H28). A compaction is not input. */
  get hasInput(): boolean {
    return this.#messages.some(({ kind }) => kind === "user");
  }

  /** Removes and returns the next message. A continuation is dropped if input waits, which goes first. */
  take(): OutgoingMessage | undefined {
    if (this.hasInput)
      this.#messages = this.#messages.filter(({ kind }) => kind !== "continuation");
    return this.#messages.shift();
  }

  /** Drops the messages that the session itself created, and keeps all others. */
  dropOwn(): void {
    this.#messages = this.#messages.filter(
      ({ kind, afterOverflow }) => kind !== "continuation" && afterOverflow !== true
    );
  }

  /** Handles an interrupt: returns the typed messages, and keeps only those that report events to the agent. */
  interrupt(): string[] {
    const typed = this.typed;
    this.#messages = this.#messages.filter(
      ({ kind, options, afterOverflow }) =>
        kind === "user" && options.synthetic === true && afterOverflow !== true
    );
    return typed;
  }

  /** The messages that the user typed and that still wait. */
  get typed(): string[] {
    return this.#messages.filter(isTyped).map(({ text }) => text);
  }
}

function isTyped({ kind, options, afterOverflow }: OutgoingMessage): boolean {
  return kind === "user" && options.synthetic !== true && afterOverflow !== true;
}

/** Returns whether a message can be joined with another one. */
function isPlain(message: OutgoingMessage): boolean {
  const { muxMetadata, editMessageId } = message.options;
  return isTyped(message) && muxMetadata === undefined && editMessageId === undefined;
}

/** A message that a session sends to its agent. */
export interface OutgoingMessage {
  /**
   * `user`: a message, from the user unless it is marked synthetic. `compaction`: a request to summarize the history.
   * `continuation`: hooks sent the agent back. `retry`: the last row is answered again.
   */
  readonly kind: "user" | "compaction" | "continuation" | "retry";
  readonly text: string;
  readonly options: SendMessageOptions;
  /** Sent by the session after a context overflow, as a part of the turn that overflowed. */
  readonly afterOverflow?: boolean;
}

/** Returns true for a user message, an edit or a retry. All other messages continue the current turn (H25). */
export function beginsTurn(message: OutgoingMessage): boolean {
  return message.kind === "retry" || isTyped(message);
}

/** Creates the continuation of a stopped turn, with that turn's options. A mark identifies it, never its text (H27). */
export function continuationOf(message: string, stopped: TurnOptions): OutgoingMessage {
  const { metadata } = continuationRow(message);
  return { kind: "continuation", text: message, options: { ...stopped, ...metadata } };
}

/** Creates a request to summarize the history. */
export function compactionRequest(options: TurnOptions): OutgoingMessage {
  return {
    kind: "compaction",
    text: "Summarize this conversation for yourself: the task, the decisions, the completed work, and the remaining work.",
    options: {
      ...options,
      agentId: "compact",
      synthetic: true,
      muxMetadata: { type: "compaction-request" },
    },
  };
}

/** Returns the messages to send after a message did not fit into the context: a compaction, and the message again. */
export function afterOverflow(message: OutgoingMessage, options: TurnOptions): OutgoingMessage[] {
  return [
    { ...compactionRequest(options), afterOverflow: true },
    { ...message, afterOverflow: true },
  ];
}

/** The options of a message. */
export interface SendMessageOptions extends TurnOptions {
  /** The message to replace. All later messages are deleted. */
  readonly editMessageId?: string;
  /** The message is not from the user: it continues the current turn and its counter (H25). */
  readonly synthetic?: boolean;
  readonly muxMetadata?: MuxMetadata;
}

export interface SendMessageError {
  readonly type: "disposed" | "busy" | "empty" | "unknownMessage" | "history";
  /** The cause and what to do, for the user. */
  readonly message: string;
}

/** Returns the options that a later turn may inherit. */
export function turnOptions(options: SendMessageOptions): TurnOptions {
  const { model, mode, thinkingLevel, agentId } = options;
  return definedOnly({ model, mode, thinkingLevel, agentId });
}

/** Derives the permission mode, which the host does not have: `plan` for the plan agent, otherwise `default` (H13). */
export function permissionMode({ mode, agentId }: TurnOptions): "plan" | "default" {
  return mode === "plan" || agentId === "plan" ? "plan" : "default";
}
