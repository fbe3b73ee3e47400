/** The second look at the working tree, after the gates: a pass applies to one tree (G20c). */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import { visible } from "@/common/text";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { isFailure, type GateResult, type Job } from "@/node/services/gauntlet/domain/gate";
import { MAX_WRITTEN } from "@/node/services/gauntlet/domain/outputs";
import { stampOf } from "@/node/services/gauntlet/gates/findings/reportFiles";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/** Results of gates, with the working trees that they apply to. */
export interface CheckedTree {
  readonly gates: readonly GateResult[];
  readonly jobs: readonly Job[];
  /** The tree that the checks ran on. */
  readonly snapshot: string;
  /** The tree that the reviews looked at, if it is another one. */
  readonly reviewSnapshot?: string;
  /** Files that changed while the checks ran, and that they have not seen. If present, the pass applies to no tree. */
  readonly unstable?: readonly string[];
  /** The number of these files, if the time was too short to run the checks again. */
  readonly late?: number;
  /** Files that the checks wrote both times, which are outputs from now on. */
  readonly written?: WrittenTwice | undefined;
  /** Files that changed while these checks ran. If that happens in the next run as well, they are outputs. */
  readonly once?: WrittenTwice | undefined;
}

export interface WrittenTwice {
  /** The checks that ran both times. */
  readonly jobs: readonly Job[];
  /** Untracked files, relative to the project. */
  readonly paths: readonly string[];
}

export interface SecondLookOptions {
  readonly runtime: HookRuntime;
  /** Has a signal that ends git in time (G27c). */
  readonly context: GitContext;
  /** Returns `context` with these files as further outputs, as the next run will have it. */
  readonly leavingOut: (written: WrittenTwice | undefined) => GitContext;
  /** Returns which of these files the same checks wrote in the last run. */
  readonly writtenAgain: (
    jobs: readonly Job[],
    paths: readonly string[]
  ) => WrittenTwice | undefined;
  /**
   * Runs the checks that these changes concern. Returns undefined if they could not be determined, and `late` if the time
   * was too short.
   */
  readonly runChecks: (snapshot: string, changed: readonly string[]) => Promise<Again | undefined>;
}

type Again = "late" | { readonly gates: readonly GateResult[]; readonly jobs: readonly Job[] };

const MAX_NAMED = 3;

/** Takes another snapshot, and runs checks at most once more. A failed snapshot counts as another tree. */
export async function lookAgain(
  { runtime, context, runChecks, leavingOut, writtenAgain }: SecondLookOptions,
  first: CheckedTree
): Promise<CheckedTree> {
  const second = await snapshotOf(runtime, context, first.snapshot);
  if (second === first.snapshot) return first;
  const differing =
    second === undefined ? undefined : await changesOf(runtime, context, first.snapshot, second);
  if (second === undefined || differing === undefined) return { ...first, unstable: [] };
  const candidates = await untracked(runtime, context, differing);
  const ran = first.jobs.filter(({ id }) => hasRun(first.gates, id));
  const repeated = writtenAgain(ran, candidates);
  const unseen = differing.filter((path) => repeated?.paths.includes(path) !== true);
  const before = await stampsOf(runtime, context, candidates);
  const again = await runChecks(second, unseen);
  if (again === undefined) return { ...first, unstable: [] };
  const once = { jobs: ran, paths: candidates.filter((path) => unseen.includes(path)) };
  if (again === "late") {
    const unstable = unseen.slice(0, MAX_NAMED).map(visible);
    return { ...first, unstable, late: unseen.length, written: repeated, once };
  }
  const ids = new Set(again.gates.map(({ jobId }) => jobId));
  const looked: CheckedTree = {
    gates: [...first.gates.filter(({ jobId }) => !ids.has(jobId)), ...again.gates],
    jobs: [...first.jobs.filter(({ id }) => !ids.has(id)), ...again.jobs],
    snapshot: second,
    ...(first.jobs.some(({ gate }) => gate.kind === "review")
      ? { reviewSnapshot: first.snapshot }
      : {}),
  };
  if (again.gates.some(isFailure)) return looked;
  if (again.gates.length === 0) {
    if (repeated === undefined) return { ...looked, once };
    const snapshot = (await snapshotOf(runtime, leavingOut(repeated), second)) ?? second;
    return { ...looked, snapshot, written: repeated, once };
  }
  const after = await stampsOf(runtime, context, candidates);
  const jobs = again.jobs.filter(({ id }) => hasRun(first.gates, id) && hasRun(again.gates, id));
  const paths = candidates.filter((_, i) => after[i] !== undefined && before[i] !== after[i]);
  const written = jobs.length === 0 || paths.length === 0 ? undefined : { jobs, paths };
  const third = await snapshotOf(runtime, leavingOut(written), second);
  if (third === second) return { ...looked, written };
  const changed =
    third === undefined ? undefined : await changesOf(runtime, context, second, third);
  if (third === undefined || changed === undefined) return { ...looked, unstable: [] };
  const outputs = new Set(written?.paths);
  const others = changed.filter((path) => !outputs.has(path));
  if (others.length === 0) return { ...looked, snapshot: third, written };
  return { ...looked, written, unstable: others.slice(0, MAX_NAMED).map(visible) };
}

/** Returns those of the files that git does not track. */
async function untracked(
  runtime: HookRuntime,
  context: GitContext,
  changed: readonly string[]
): Promise<string[]> {
  const paths = changed.slice(0, MAX_CANDIDATES);
  if (paths.length === 0) return [];
  const args = ["--literal-pathspecs", "ls-files", "-z", "--cached", "--", ...paths];
  const { projectDir, signal } = context;
  const listed = await runGit(runtime, { cwd: projectDir, args, signal });
  if (listed.isErr()) return [];
  const tracked = new Set(listed.value.split("\0"));
  return paths.filter((path) => !tracked.has(path)).slice(0, MAX_WRITTEN);
}

/** Enough for a check that writes tracked files as well. */
const MAX_CANDIDATES = 200;

async function stampsOf(
  runtime: HookRuntime,
  { projectDir }: GitContext,
  paths: readonly string[]
): Promise<readonly (string | undefined)[]> {
  if (paths.length === 0) return [];
  const stats = await runtime.stat(paths.map((path) => posix.join(projectDir, path)));
  return stats.map((stat) => (stat.kind === "file" ? stampOf(stat) : undefined));
}

function hasRun(gates: readonly GateResult[], id: string): boolean {
  return gates.some(
    ({ jobId, outcome, cachedSince }) =>
      jobId === id && outcome === "passed" && cachedSince === undefined
  );
}

async function snapshotOf(
  runtime: HookRuntime,
  context: GitContext,
  recent: string
): Promise<string | undefined> {
  const taken = await takeSnapshot(runtime, context, { keepIndex: true, recent });
  return idOf(taken);
}

async function changesOf(
  runtime: HookRuntime,
  context: GitContext,
  from: string,
  to: string
): Promise<string[] | undefined> {
  const files = await changedFiles(runtime, context, from, to);
  return files.map(changedPaths).unwrapOr(undefined);
}

function idOf(taken: Result<{ readonly id: string }, unknown>): string | undefined {
  return taken.isOk() ? taken.value.id : undefined;
}
