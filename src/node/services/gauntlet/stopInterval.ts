/** Whether the last run is so young that the next stop passes by it (the status `interval_not_elapsed`). */
import { posix } from "node:path";
import { KIB } from "@/common/limits";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import type { Files } from "@/node/runtime/Runtime";

const MINUTE_MS = 60_000;

/** What of a state the interval goes by. */
export type LastRun = Pick<
  ExecutionState,
  "last_run_completed_at" | "status" | "partial" | "open" | "gates_run" | "branch"
>;

/** When a run is due again; nothing where it is due now. */
export function nextEligible(
  state: LastRun,
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
function isArmed(state: LastRun, branch: string | undefined): boolean {
  if (state.status === undefined) return true;
  return (
    state.partial !== true &&
    state.open.length === 0 &&
    (state.gates_run ?? 0) > 0 &&
    state.branch === branch
  );
}

type BranchReads = Pick<Files, "stat" | "readFile">;

/** The branch that is checked out, read without git; `HEAD` where none is, nothing where it cannot be told. */
export async function currentBranch(
  files: BranchReads,
  projectDir: string
): Promise<string | undefined> {
  const gitDir = await findGitDir(files, projectDir);
  if (gitDir === undefined) return undefined;
  const head = await readText(files, posix.join(gitDir, "HEAD"));
  if (head === undefined) return undefined;
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? "HEAD";
}

/** `.git` of the nearest folder upward: a folder, or in a linked worktree a file that names one. */
async function findGitDir(files: BranchReads, folder: string): Promise<string | undefined> {
  const path = posix.join(folder, ".git");
  const [stat] = await files.stat([path]);
  if (stat?.kind === "directory") return path;
  if (stat?.kind === "file") {
    const named = /^gitdir: (.+)$/.exec((await readText(files, path)) ?? "")?.[1];
    return named === undefined ? undefined : posix.resolve(folder, named);
  }
  const parent = posix.dirname(folder);
  return parent === folder ? undefined : await findGitDir(files, parent);
}

async function readText(files: BranchReads, path: string): Promise<string | undefined> {
  const read = await files.readFile(path, { maxBytes: 4 * KIB });
  return read.isOk() ? new TextDecoder().decode(read.value).trimEnd() : undefined;
}
