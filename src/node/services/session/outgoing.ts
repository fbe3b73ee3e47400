/** The messages that a session sends to its agent, and their origin. */
import { continuationRow } from "@/node/services/hooks/index";
import type { SendMessageOptions } from "@/node/services/session/sendOptions";
import type { TurnOptions } from "@/node/services/session/chatMessage";

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
export function beginsTurn({ kind, options, afterOverflow }: OutgoingMessage): boolean {
  if (kind === "retry") return true;
  return kind === "user" && options.synthetic !== true && afterOverflow !== true;
}

/** Creates the continuation of a stopped turn, with that turn's options. A mark identifies it, never its text (H27). */
export function continuationOf(message: string, stopped: TurnOptions): OutgoingMessage {
  const { metadata } = continuationRow(message);
  return { kind: "continuation", text: message, options: { ...stopped, ...metadata } };
}

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
