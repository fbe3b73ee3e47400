/** Decides which ends of a turn count as a stop (H28, H28a). */
import { USER_MESSAGE_FIRST } from "@/node/services/hooks/messages/stop";

/** How a turn ended. Only with `stop` does the agent consider its work done. */
export type TurnFinish =
  | "stop"
  | "interrupted"
  | "error"
  | "refusal"
  /** Cut off by the model's length limit. */
  | "length"
  /** A question or a plan is waiting for the user. */
  | "question"
  /** A tool call has not finished. */
  | "toolCalls";

export interface TurnEnd {
  readonly finish: TurnFinish;
  /** Whether the turn only compacted the history. */
  readonly compaction?: boolean;
  /** Whether it is an internal agent of the host, such as one that names a chat. */
  readonly internalAgent?: boolean;
  /** Returns whether a message of the user is queued. Called before the hooks and after them. */
  readonly hasQueuedInput: () => boolean;
}

/** Returns the reason, for a log, why no hook runs at this end, or undefined if hooks run. */
export function whyNoHooks(turn: TurnEnd, env: NodeJS.ProcessEnv): string | undefined {
  if (turn.finish !== "stop") return `the turn did not end by itself (${turn.finish})`;
  if (turn.compaction === true) return "hooks do not run after a compaction";
  if (turn.internalAgent === true) return "hooks do not run for an internal agent of the host";
  if (turn.hasQueuedInput()) return USER_MESSAGE_FIRST;
  // Otherwise an agent that a hook starts would start that hook again, endlessly.
  if (env.MUX_HOOK_EVENT) return "this program was started by a hook (MUX_HOOK_EVENT is set)";
  return undefined;
}
