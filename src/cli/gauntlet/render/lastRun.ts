/** The last run, as `status` and `doctor` describe it. */
import { formatAge } from "@/cli/render/formatDuration";
import { visible } from "@/common/text";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import * as messages from "@/cli/gauntlet/messages/progress";

export function describeRun(state: ExecutionState): string {
  const { last_run_completed_at: at, status: ended, gates_run: gates, branch, partial } = state;
  const parts = [
    ended?.replaceAll("_", " ") ?? messages.UNKNOWN_STATUS,
    ...(gates === undefined ? [] : [messages.gatesRun(gates)]),
    ...(partial === true ? [messages.PARTIAL] : []),
    ...(branch === undefined ? [] : [messages.onBranch(visible(branch))]),
    ...(at === undefined ? [] : [`${ageOf(at)} (${visible(at)})`]),
  ];
  return parts.join(", ");
}

function ageOf(at: string): string {
  const ms = Date.now() - Date.parse(at);
  return ms < 0 ? messages.IN_FUTURE : messages.ago(formatAge(ms));
}
