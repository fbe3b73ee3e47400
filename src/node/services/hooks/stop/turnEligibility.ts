/** Which ends of a turn are a stop at all (H28, H28a). */

/** How a turn came to its end. Only `stop` is an agent that means to be done. */
export type TurnFinish =
  | "stop"
  | "interrupted"
  | "error"
  | "refusal"
  /** Cut by the model's length limit. */
  | "length"
  /** A question or a plan waits for the user. */
  | "question"
  /** A tool call is still open. */
  | "toolCalls";

export interface TurnEnd {
  readonly finish: TurnFinish;
  /** The turn only made the history shorter. */
  readonly compaction?: boolean;
  /** An agent of the host's own, such as one that names a chat. */
  readonly internalAgent?: boolean;
  /** Whether a user's message waits; asked before the hooks and after them. */
  readonly hasQueuedInput: () => boolean;
}

/** Why no hook runs at this end, in words for a log; nothing where hooks run. */
export function whyNoHooks(turn: TurnEnd, env: NodeJS.ProcessEnv): string | undefined {
  if (turn.finish !== "stop") return `the turn did not end of itself (${turn.finish})`;
  if (turn.compaction === true) return "a compaction is no turn of the agent";
  if (turn.internalAgent === true) return "an agent of the host's own has no hooks";
  if (turn.hasQueuedInput()) return "a message of the user waits and goes first";
  // Else an agent that a hook starts would start that hook again, without end.
  if (env.MUX_HOOK_EVENT) return "this program was started by a hook (MUX_HOOK_EVENT is set)";
  return undefined;
}
