/** What a session sends to its agent, and in whose name. */
import type { SendMessageOptions, TurnOptions } from "@/node/services/session/sendOptions";

export interface OutgoingMessage {
  /**
   * `user`: a message, from a person unless it is marked synthetic. `compaction`: the history is to be summed up.
   * `continuation`: hooks sent the agent back. `retry`: the last row is answered once more.
   */
  readonly kind: "user" | "compaction" | "continuation" | "retry";
  readonly text: string;
  readonly options: SendMessageOptions;
  /** The session's own doing after a context overflow: it is part of the turn that overflowed. */
  readonly afterOverflow?: boolean;
}

/** A message of the user, an edit or a retry; whatever else is sent goes on with the turn that is (H25). */
export function beginsTurn({ kind, options, afterOverflow }: OutgoingMessage): boolean {
  if (kind === "retry") return true;
  return kind === "user" && options.synthetic !== true && afterOverflow !== true;
}

/** What hooks ask of the agent, answered as the stopped turn was; known by its mark, never by its text (H27). */
export function continuationOf(message: string, stopped: TurnOptions): OutgoingMessage {
  const options = { ...stopped, synthetic: true, muxMetadata: { stopHookActive: true } };
  return { kind: "continuation", text: message, options };
}

const SUM_UP =
  "Sum up this conversation for yourself: the task, what was decided, what is done, and what is left to do.";

export function compactionRequest(options: TurnOptions): OutgoingMessage {
  return {
    kind: "compaction",
    text: SUM_UP,
    options: {
      ...options,
      agentId: "compact",
      synthetic: true,
      muxMetadata: { type: "compaction-request" },
    },
  };
}

/** What has to be sent where a message did not fit: a compaction, and the message again. */
export function afterOverflow(message: OutgoingMessage, options: TurnOptions): OutgoingMessage[] {
  return [
    { ...compactionRequest(options), afterOverflow: true },
    { ...message, afterOverflow: true },
  ];
}
