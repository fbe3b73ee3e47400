/** Describes how a turn ended. */
import { plural } from "@/common/text";
import { oneLine } from "@/cli/render/format";
import { describeEnd, type StopHooksResult } from "@/node/services/hooks/index";
import type { TurnOutcome } from "@/session";
import * as messages from "@/cli/messages/shared";

/** Returns one sentence for the user. @param lastStop the result of the last hooks, undefined if none ran */
export function describeTurnEnd(
  outcome: TurnOutcome | undefined,
  lastStop: StopHooksResult | undefined,
  continuations: number
): string {
  return turnEnded(whyEnded(outcome, lastStop), continuations);
}

function whyEnded(outcome: TurnOutcome | undefined, lastStop: StopHooksResult | undefined): string {
  switch (outcome?.finish) {
    case "stop":
      return lastStop === undefined ? messages.NO_HOOK_RAN : describeVerdict(lastStop);
    case "error":
      return `an error (${oneLine(outcome.error ?? "unknown")})`;
    case "length":
      return "the model reached its length limit";
    case "refusal":
      return "the model refused";
    case "question":
      return "the agent waits for an answer";
    case "toolCalls":
      return "a tool call has no result yet";
    default:
      return messages.INTERRUPTED;
  }
}

function describeVerdict(result: StopHooksResult): string {
  return result.shouldStop
    ? describeEnd(result).reason
    : "the limit of continuations was reached while hooks still blocked the stop";
}

function turnEnded(why: string, continuations: number): string {
  const after = continuations === 0 ? "" : `, after ${plural(continuations, "continuation")}`;
  return `The turn ended: ${why}${after}.`;
}
