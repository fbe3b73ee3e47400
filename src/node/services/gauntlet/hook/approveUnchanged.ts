/**
 * Lets the agent stop although gates fail, if nothing changed since the session's first message, or since the last stop
 * that passed or told the user which gates are unresolved (G20a).
 */
import { topFolder } from "@/node/services/gauntlet/change/git/gitQueries";
import { posix } from "node:path";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { withLogs } from "@/node/services/gauntlet/run/plan/gatesWithoutJob";
import { readState } from "@/node/services/gauntlet/state/executionState";
import type { LoggedStop, Stop } from "@/node/services/gauntlet/hook/stopDecision";
import * as workPoints from "@/node/services/gauntlet/turn/headMoves";

/** The time whose changes no stop has settled yet. */
export interface UnsettledPeriod {
  readonly gitDir: string;
  /** The session's first message or its last settled stop. Absent if the host did not record the first message. */
  readonly since?: workPoints.SettledPoint;
  /** The beginning of this stop. */
  readonly stop: workPoints.WorkPoint;
}

/** Returns that time before a stop, or undefined without `turn-start`, a session, a commit or a reflog of HEAD. */
export async function unsettledPeriod(at: Stop): Promise<UnsettledPeriod | undefined> {
  const { runtime, gitDir, sessionId, turn, session, now } = at;
  if (gitDir === undefined || sessionId === undefined || turn.at === undefined) return undefined;
  const stop = await workPoints.workPoint(runtime, gitDir, now());
  return stop && { gitDir, stop, since: session.record.settled ?? turn.first };
}

const MAX_FILES = 20_000;
/** Matches a difference that makes a symbolic link or a submodule, whose own change time is not read. */
const DOUBTFUL_MODE = /^:\d+ (120000|160000) /;

/**
 * Returns an approval of a stop whose gates fail although nothing changed since `place.since`. Returns undefined for
 * any other stop, in doubt, and in a turn in which a stop has failed.
 */
export async function approveUnchanged(
  result: RunResult,
  place: LoggedStop & UnsettledPeriod
): Promise<RunResult | undefined> {
  const { runtime, logDir, since, session } = place;
  const isFailed = result.status === "failed" || result.status === "retry_limit_exceeded";
  if (!isFailed || session.count.hasFailed === true || since === undefined) return undefined;
  const { open = [], working_tree_ref: snapshot } = (await readState(runtime, logDir)).state ?? {};
  if (snapshot === undefined || result.tree === undefined || open.length === 0) return undefined;
  if (since.tree !== result.tree && (await changedSince(since, snapshot, place))) return undefined;
  const openGates = await withLogs(runtime, logDir, open);
  const { warnings, consoleLogPath } = result;
  const caveat = `nothing changed that was not checked before, and these gates fail: ${openGates.map(({ jobId }) => jobId).join(", ")}`;
  return createResult("no_changes", { openGates, warnings, consoleLogPath, caveat });
}

/** Returns whether a commit was made or a file changed since a point; in doubt, true. */
async function changedSince(
  since: workPoints.SettledPoint,
  snapshot: string,
  { runtime, dir, gitDir, stop }: LoggedStop & UnsettledPeriod
): Promise<boolean> {
  if (Date.parse(since.at) > Date.parse(stop.at)) return true;
  if (!(await workPoints.hasOnlyCheckouts(runtime, gitDir, { from: since, to: stop }))) return true;
  const git = async (...args: string[]): Promise<string | undefined> =>
    (await runGit(runtime, { cwd: dir, args })).unwrapOr(undefined);
  const root = await topFolder(runtime, dir);
  const tree = await git("ls-tree", "-r", "-z", "--name-only", "--full-name", snapshot);
  const compare = async (from: string, to: string): Promise<string[] | undefined> =>
    (await git("diff-tree", "-r", "-z", "--no-renames", from, to))?.split("\0").slice(0, -1);
  const differing = await compare(stop.head, snapshot);
  const moved = since.head === stop.head ? [] : await compare(since.head, stop.head);
  if (root === undefined || tree === undefined || !differing || !moved) return true;
  if (differing.some((field) => DOUBTFUL_MODE.test(field))) return true;
  // A checkout changes the files in which the commits differ. The work on top of it is in `differing`.
  const checkedOut = new Set(pathsIn(moved));
  // The folder of an untracked file may be gone with it, or moved with its times.
  const lost = since.snapshot === undefined ? [] : await compare(since.snapshot, snapshot);
  const isLost = (field: string, i: number): boolean =>
    field.endsWith(" D") && !checkedOut.has(lost?.[i + 1] ?? "");
  if (lost?.some(isLost) === true) return true;
  const unmoved = tree.split("\0").filter((path) => path !== "" && !checkedOut.has(path));
  const paths = new Set([...unmoved, ...pathsIn(differing)]);
  if (paths.size > MAX_FILES) return true;
  const absolute = [...paths].map((path) => posix.join(root, path));
  return await anyChangedSince(runtime, absolute, since);
}

/** Returns the paths in the fields of `git diff-tree -z`, in which modes and a path alternate. */
const pathsIn = (fields: readonly string[]) => fields.filter((_, i) => i % 2 === 1);

/**
 * Returns whether one of the paths changed since a point. For a file that does not exist, the time of the nearest
 * folder counts, which its removal changed.
 */
export async function anyChangedSince(
  runtime: HookRuntime,
  paths: readonly string[],
  since: workPoints.WorkPoint
): Promise<boolean> {
  const stats = await runtime.stat(paths);
  const gone = new Set<string>();
  for (const [i, path] of paths.entries()) {
    const stat = stats[i];
    if (stat === undefined || stat.kind === "failed") return true;
    if (stat.kind === "missing") gone.add(posix.dirname(path));
    else if (workPoints.isSince(since, stat.ctimeMs)) return true;
  }
  return gone.size > 0 && (await anyChangedSince(runtime, [...gone], since));
}
