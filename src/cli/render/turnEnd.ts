/** Describes how a turn ended. */
import { oneLine } from "@/cli/render/format";
import { plural } from "@/common/text";
import { describeEnd, type StopHooksResult } from "@/node/services/hooks/index";
import type { TurnOutcome } from "@/node/services/session/turnEnd";

/** Returns one sentence for the user. @param lastStop the result of the last hooks, undefined if none ran */
export function describeTurnEnd(
  outcome: TurnOutcome | undefined,
  lastStop: StopHooksResult | undefined,
  continuations: number
): string {
  const after = continuations === 0 ? "" : `, after ${plural(continuations, "continuation")}`;
  return `The turn ended: ${whyEnded(outcome, lastStop)}${after}.`;
}

function whyEnded(outcome: TurnOutcome | undefined, lastStop: StopHooksResult | undefined): string {
  switch (outcome?.finish) {
    case "stop":
      return lastStop === undefined ? "no hook had to be asked" : describeVerdict(lastStop);
    case "error":
      return `an error (${oneLine(outcome.error ?? "unknown")})`;
    case "length":
      return "the model's length limit";
    case "refusal":
      return "the model refused";
    case "question":
      return "the agent waits for an answer";
    case "toolCalls":
      return "a tool call is still open";
    default:
      return "interrupted";
  }
}

function describeVerdict(result: StopHooksResult): string {
  return result.shouldStop
    ? describeEnd(result)
    : "at the limit of continuations, against the hooks";
}
