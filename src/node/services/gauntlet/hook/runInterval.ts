/** Whether the last run is so young that the next stop passes by it (the status `interval_not_elapsed`). */
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { findGitDir, readHead, type GitReads } from "@/node/services/gauntlet/turn/gitFolder";

const MINUTE_MS = 60_000;

/** What of a state the interval goes by. */
export type LastRunState = Pick<
  ExecutionState,
  "last_run_completed_at" | "status" | "partial" | "open" | "gates_run" | "branch"
>;

/** When a run is due again; nothing where it is due now. */
export function nextEligible(
  state: LastRunState,
  { intervalMinutes, branch, now }: { intervalMinutes: number; branch?: string; now: Date }
): Date | undefined {
  const { last_run_completed_at: completed, status } = state;
  if (completed === undefined || !isArmed(state, branch)) return undefined;
  const age = now.getTime() - Date.parse(completed);
  // A time in the future is never younger, or a clock that was wrong once would open the gate for long.
  if (age < 0 || age >= intervalMinutes * MINUTE_MS) return undefined;
  if (status !== undefined && !isSuccessStatus(status)) return undefined;
  return new Date(Date.parse(completed) + intervalMinutes * MINUTE_MS);
}

/** A state without a status, of an older tool or by hand, goes by its time alone. */
function isArmed(state: LastRunState, branch: string | undefined): boolean {
  if (state.status === undefined) return true;
  return (
    state.partial !== true &&
    state.open.length === 0 &&
    (state.gates_run ?? 0) > 0 &&
    state.branch === branch
  );
}

/** The branch that is checked out, read without git; `HEAD` where none is, undefined where it cannot be known. */
export async function currentBranch(
  files: GitReads,
  projectDir: string
): Promise<string | undefined> {
  const gitDir = await findGitDir(files, projectDir);
  const head = gitDir === undefined ? undefined : await readHead(files, gitDir);
  if (head === undefined) return undefined;
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? "HEAD";
}
