/** Determines whether the last run is so recent that the next stop passes (the status `interval_not_elapsed`). */
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { findGitDir, readHead, type GitReads } from "@/node/services/gauntlet/turn/gitFolder";

const MINUTE_MS = 60_000;

/** The part of a state that determines the interval. */
export type LastRunState = Pick<
  ExecutionState,
  "last_run_completed_at" | "status" | "partial" | "open" | "gates_run" | "branch"
>;

/** Returns when a run is due again, or undefined if it is due now. */
export function nextEligible(
  state: LastRunState,
  { intervalMinutes, branch, now }: { intervalMinutes: number; branch?: string; now: Date }
): Date | undefined {
  const { last_run_completed_at: completed, status } = state;
  if (completed === undefined || !isArmed(state, branch)) return undefined;
  const age = now.getTime() - Date.parse(completed);
  // A time in the future, from a clock that was wrong, does not count: the gates would be skipped for a long time.
  if (age < 0 || age >= intervalMinutes * MINUTE_MS) return undefined;
  if (status !== undefined && !isSuccessStatus(status)) return undefined;
  return new Date(Date.parse(completed) + intervalMinutes * MINUTE_MS);
}

/**
 * Returns whether the interval applies. For a state without a status, from an older tool or by hand, only the time
 * counts.
 */
function isArmed(state: LastRunState, branch: string | undefined): boolean {
  if (state.status === undefined) return true;
  return (
    state.partial !== true &&
    state.open.length === 0 &&
    (state.gates_run ?? 0) > 0 &&
    state.branch === branch
  );
}

/** Returns the checked-out branch without git, `HEAD` if there is none, or undefined if it is unknown. */
export async function currentBranch(
  files: GitReads,
  projectDir: string
): Promise<string | undefined> {
  const gitDir = await findGitDir(files, projectDir);
  const head = gitDir === undefined ? undefined : await readHead(files, gitDir);
  if (head === undefined) return undefined;
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? "HEAD";
}
