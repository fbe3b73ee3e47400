/** Lets the agent stop although gates fail, if no change of the session is owed a verdict (G20a). */
import { posix } from "node:path";
import { definedOnly } from "@/common/definedOnly";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { nothingOwed } from "@/node/services/gauntlet/messages/stop";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { withLogs } from "@/node/services/gauntlet/run/unresolved/unresolvedGates";
import { readState } from "@/node/services/gauntlet/state/executionState";
import type { StopCount, StopSession } from "@/node/services/gauntlet/turn/StopSession";
import { sessionKey } from "@/node/services/gauntlet/turn/turnFiles";
import { readTurnRecord } from "@/node/services/gauntlet/turn/turnRecord";
import {
  hasOnlyCheckouts,
  isSince,
  workPoint,
  type SettledPoint,
  type WorkPoint,
} from "@/node/services/gauntlet/turn/workPoint";

/** The time in which changes are owed a verdict. */
interface Debt {
  readonly gitDir: string;
  /** The session's first message or its last settled stop. Absent if the host did not record the first message. */
  readonly since?: SettledPoint;
  /** The beginning of this stop. */
  readonly stop: WorkPoint;
}

interface OwedPlace extends Debt {
  readonly runtime: HookRuntime;
  /** Absolute: the folder with `.gauntlet/`. */
  readonly dir: string;
  readonly logDir: string;
}

interface DebtRequest {
  readonly runtime: HookRuntime;
  readonly sessionId?: string;
  readonly now: () => Date;
}

/** Returns undefined if the agent host does not run `turn-start`, or names no session. */
export async function debtOf(
  { runtime, sessionId, now }: DebtRequest,
  gitDir: string | undefined,
  { settled }: StopSession
): Promise<Debt | undefined> {
  if (gitDir === undefined || sessionId === undefined) return undefined;
  const { at, first } = await readTurnRecord(runtime, gitDir, sessionKey(sessionId));
  const stop = await workPoint(runtime, gitDir, now());
  if (at === undefined || stop === undefined) return undefined;
  return { gitDir, stop, ...definedOnly({ since: settled ?? first }) };
}

const MAX_FILES = 1_000;
/** Symbolic links and submodules: their own change time is not read. */
const DOUBTFUL_MODES = /^(120000|160000)$/;

/**
 * Returns the result of a stop whose gates fail although no verdict is owed. Returns undefined for any other stop, and in
 * doubt. In a turn in which a stop has failed, a verdict is always owed.
 */
export async function letGo(
  result: RunResult,
  { failed }: Pick<StopCount, "failed">,
  place: OwedPlace
): Promise<RunResult | undefined> {
  const { runtime, logDir, since } = place;
  const isFailed = result.status === "failed" || result.status === "retry_limit_exceeded";
  if (!isFailed || failed > 0 || since === undefined) return undefined;
  const { state } = await readState(runtime, logDir);
  const snapshot = state?.working_tree_ref;
  if (state === undefined || snapshot === undefined || result.tree === undefined) return undefined;
  const hasChanged = since.tree !== result.tree && (await changedSince(since, snapshot, place));
  if (hasChanged) return undefined;
  const openGates = await withLogs(runtime, logDir, state.open);
  const { warnings, consoleLogPath } = result;
  const caveat = nothingOwed(openGates.map(({ jobId }) => jobId));
  return createResult("no_changes", { openGates, warnings, consoleLogPath, caveat });
}

async function changedSince(
  since: WorkPoint,
  snapshot: string,
  { runtime, dir, gitDir, stop }: OwedPlace
): Promise<boolean> {
  if (Date.parse(since.at) > Date.parse(stop.at)) return true;
  if (!(await hasOnlyCheckouts(runtime, gitDir, { from: since, to: stop }))) return true;
  const git = async (...args: string[]): Promise<string | undefined> =>
    (await runGit(runtime, { cwd: dir, args })).unwrapOr(undefined);
  const root = (await git("rev-parse", "--show-toplevel"))?.replace(/\n$/, "");
  const compared = ["diff-tree", "-r", "-z", "--no-renames", stop.head, snapshot];
  const fields = (await git(...compared))?.split("\0").slice(0, -1);
  if (root === undefined || fields === undefined || fields.length > 2 * MAX_FILES) return true;
  const modes = fields.filter((_, i) => i % 2 === 0).flatMap((field) => field.split(" ", 2));
  if (modes.some((mode) => DOUBTFUL_MODES.test(mode.replace(":", "")))) return true;
  const paths = fields.filter((_, i) => i % 2 === 1).map((path) => posix.join(root, path));
  return await areSince(runtime, paths, since);
}

/** For a file that does not exist, the time of the nearest folder counts, which its removal changed. */
async function areSince(
  runtime: HookRuntime,
  paths: readonly string[],
  since: WorkPoint
): Promise<boolean> {
  const stats = await runtime.stat(paths);
  const gone = new Set<string>();
  for (const [i, path] of paths.entries()) {
    const stat = stats[i];
    if (stat === undefined || stat.kind === "failed") return true;
    if (stat.kind === "missing") gone.add(posix.dirname(path));
    else if (isSince(since, stat.ctimeMs)) return true;
  }
  return gone.size > 0 && (await areSince(runtime, [...gone], since));
}
