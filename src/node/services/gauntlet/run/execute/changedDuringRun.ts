/**
 * Finds files that changed while the gates ran, and runs the checks that they concern again, because a pass applies to
 * one tree only. Recognizes files that the checks themselves write as outputs. Other files that still change are
 * reported, and the pass then applies to no tree (G20c).
 */
import { stampOf } from "@/node/runtime/fileContents";
import { posix } from "node:path";
import { visible } from "@/common/safeText";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { isFailure, type GateResult, type Job } from "@/node/services/gauntlet/domain/gate";
import { MAX_WRITTEN } from "@/node/services/gauntlet/domain/outputRules";
import * as outputFiles from "@/node/services/gauntlet/run/plan/recordOutputFiles";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

/** Results of gates, with the working trees that they apply to. */
export interface CheckedTree {
  readonly gates: readonly GateResult[];
  readonly jobs: readonly Job[];
  /** The tree that the checks ran on. */
  readonly snapshot: string;
  /** The tree that the reviews looked at, if it is another one. */
  readonly reviewSnapshot?: string;
  /**
   * At most 3 names of files that changed after the checks saw them; empty if unknown. If present, the pass applies to no
   * tree.
   */
  readonly unstable?: readonly string[];
  /** The number of these files, if the time was too short to run the checks again. */
  readonly late?: number;
  /** Files that the checks wrote twice, in this run or in the last one and this one: they are outputs from now on. */
  readonly written?: outputFiles.WrittenFiles | undefined;
  /** Files that changed while these checks ran. If that happens in the next run as well, they are outputs. */
  readonly writtenOnce?: outputFiles.WrittenFiles | undefined;
}

/**
 * Runs the checks that these changes concern. Returns undefined if they could not be determined, and `late` if the time
 * was too short.
 */
export type RunAgain = (
  snapshot: string,
  changed: readonly string[]
) => Promise<"late" | Pick<CheckedTree, "gates" | "jobs"> | undefined>;

type Place = Pick<GauntletRunContext, "runtime" | "config" | "context">;

const MAX_NAMED = 3;
/** Enough for a check that writes tracked files as well. */
const MAX_CANDIDATES = 200;

/**
 * Compares the tree with the one that the gates ran on, and runs checks at most once more. A failed snapshot counts as
 * another tree.
 */
export async function lookAgain(
  given: Place,
  state: Pick<ExecutionState, "outputs" | "written">,
  first: CheckedTree,
  runChecks: RunAgain
): Promise<CheckedTree> {
  const { runtime, config, context } = given;
  const snapshotOf = async (place: GitContext, recent: string): Promise<string | undefined> =>
    (await takeSnapshot(runtime, place, { keepIndex: true, recent }))
      .map(({ id }) => id)
      .unwrapOr(undefined);
  const changesOf = async (from: string, to: string): Promise<string[] | undefined> =>
    (await changedFiles(runtime, context, from, to)).map(changedPaths).unwrapOr(undefined);
  // Returns the context that the next run will have, with these files as further outputs.
  const leavingOut = (written: outputFiles.WrittenFiles | undefined): GitContext =>
    written === undefined
      ? context
      : outputFiles.withOutputs(context, config, {
          outputs: outputFiles.addWritten(state.outputs, written),
        });

  const second = await snapshotOf(context, first.snapshot);
  if (second === first.snapshot) return first;
  const differing = second && (await changesOf(first.snapshot, second));
  if (second === undefined || !differing) return { ...first, unstable: [] };
  const candidates = await untracked(given, differing);
  const ran = first.jobs.filter(({ id }) => hasRun(first.gates, id));
  const repeated = outputFiles.writtenAgain(state.written, ran, candidates);
  const unseen = differing.filter((path) => repeated?.paths.includes(path) !== true);
  const before = await stampsOf(given, candidates);
  const again = await runChecks(second, unseen);
  if (again === undefined) return { ...first, unstable: [] };
  const writtenOnce = { jobs: ran, paths: candidates.filter((path) => unseen.includes(path)) };
  if (again === "late") {
    const unstable = unseen.slice(0, MAX_NAMED).map(visible);
    return { ...first, unstable, late: unseen.length, written: repeated, writtenOnce };
  }
  const ids = new Set(again.gates.map(({ jobId }) => jobId));
  const hasReview = first.jobs.some(({ gate }) => gate.kind === "review");
  const looked: CheckedTree = {
    written: repeated,
    writtenOnce: again.gates.length === 0 ? writtenOnce : undefined,
    gates: [...first.gates.filter(({ jobId }) => !ids.has(jobId)), ...again.gates],
    jobs: [...first.jobs.filter(({ id }) => !ids.has(id)), ...again.jobs],
    snapshot: second,
    reviewSnapshot: hasReview ? first.snapshot : undefined,
  };
  if (again.gates.some(isFailure)) return looked;
  if (again.gates.length === 0 && repeated === undefined) return looked;
  const after = await stampsOf(given, candidates);
  const jobs = again.jobs.filter(({ id }) => hasRun(first.gates, id) && hasRun(again.gates, id));
  const paths = candidates.filter((_, i) => after[i] !== undefined && before[i] !== after[i]);
  const written = jobs.length === 0 || paths.length === 0 ? repeated : { jobs, paths };
  const third = await snapshotOf(leavingOut(written), second);
  if (third === second) return { ...looked, written };
  const changed = third && (await changesOf(second, third));
  if (third === undefined || !changed) return { ...looked, unstable: [] };
  const others = changed.filter((path) => written?.paths.includes(path) !== true);
  if (others.length === 0) return { ...looked, snapshot: third, written };
  return { ...looked, written, unstable: others.slice(0, MAX_NAMED).map(visible) };
}

/** Returns those of the files that git does not track. */
async function untracked(
  { runtime, context: { projectDir: cwd, signal } }: Place,
  changed: readonly string[]
): Promise<string[]> {
  const paths = changed.slice(0, MAX_CANDIDATES);
  if (paths.length === 0) return [];
  const args = ["--literal-pathspecs", "ls-files", "-z", "--cached", "--", ...paths];
  const listed = await runGit(runtime, { cwd, args, signal });
  if (listed.isErr()) return [];
  const tracked = new Set(listed.value.split("\0"));
  return paths.filter((path) => !tracked.has(path)).slice(0, MAX_WRITTEN);
}

async function stampsOf(
  { runtime, context: { projectDir } }: Place,
  paths: readonly string[]
): Promise<readonly (string | undefined)[]> {
  if (paths.length === 0) return [];
  const stats = await runtime.stat(paths.map((path) => posix.join(projectDir, path)));
  return stats.map((stat) => (stat.kind === "file" ? stampOf(stat) : undefined));
}

/** Returns whether a job ran and passed. A cached pass does not count. */
function hasRun(gates: readonly GateResult[], id: string): boolean {
  return gates.some(
    ({ jobId, outcome, cachedSince }) =>
      jobId === id && outcome === "passed" && cachedSince === undefined
  );
}
