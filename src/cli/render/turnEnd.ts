/** Describes how a turn ended. */
import { oneLine } from "@/cli/render/format";
import { describeEnd, type StopHooksResult } from "@/node/services/hooks/index";
import type { TurnOutcome } from "@/node/services/session/turnEnd";
import * as messages from "@/cli/messages/reports";

/** Returns one sentence for the user. @param lastStop the result of the last hooks, undefined if none ran */
export function describeTurnEnd(
  outcome: TurnOutcome | undefined,
  lastStop: StopHooksResult | undefined,
  continuations: number
): string {
  return messages.turnEnded(whyEnded(outcome, lastStop), continuations);
}

function whyEnded(outcome: TurnOutcome | undefined, lastStop: StopHooksResult | undefined): string {
  switch (outcome?.finish) {
    case "stop":
      return lastStop === undefined ? messages.NO_HOOK_RAN : describeVerdict(lastStop);
    case "error":
      return messages.endedWithError(oneLine(outcome.error ?? "unknown"));
    case "length":
      return messages.LENGTH_LIMIT;
    case "refusal":
      return messages.REFUSED;
    case "question":
      return messages.AWAITS_ANSWER;
    case "toolCalls":
      return messages.TOOL_CALL_PENDING;
    default:
      return messages.INTERRUPTED;
  }
}

function describeVerdict(result: StopHooksResult): string {
  return result.shouldStop ? describeEnd(result).reason : messages.STOPPED_AT_LIMIT;
}
