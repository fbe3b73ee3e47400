/** The last run, as `status` and `doctor` describe it. */
import { formatAge } from "@/common/formatDuration";
import { visible, plural } from "@/common/text";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

export function describeRun(state: ExecutionState): string {
  const { last_run_completed_at: at, status: ended, gates_run: gates, branch, partial } = state;
  const parts = [
    ended?.replaceAll("_", " ") ?? "unknown status",
    ...(gates === undefined ? [] : [`${plural(gates, "gate")} run`]),
    ...(partial === true ? ["only some of the gates"] : []),
    ...(branch === undefined ? [] : [`on branch ${visible(branch)}`]),
    ...(at === undefined ? [] : [`${ageOf(at)} (${visible(at)})`]),
  ];
  return parts.join(", ");
}

function ageOf(at: string): string {
  const ms = Date.now() - Date.parse(at);
  return ms < 0 ? "at a time in the future" : `${formatAge(ms)} ago`;
}
