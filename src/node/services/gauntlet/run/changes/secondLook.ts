/** The second look at the working tree, after the gates: a pass applies to one tree (G20c). */
import type { Result } from "neverthrow";
import { visible } from "@/common/text";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { isFailure, type GateResult, type Job } from "@/node/services/gauntlet/domain/gate";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/** Results of gates, with the working trees that they apply to. */
export interface CheckedTree {
  readonly gates: readonly GateResult[];
  readonly jobs: readonly Job[];
  /** The tree that the checks ran on. */
  readonly snapshot: string;
  /** The tree that the reviews looked at, if it is another one. */
  readonly reviewSnapshot?: string;
  /** Files that changed while the checks ran a second time. If present, the pass applies to no tree. */
  readonly unstable?: readonly string[];
}

export interface SecondLookOptions {
  readonly runtime: HookRuntime;
  /** Has a signal that ends git in time (G27c). */
  readonly context: GitContext;
  /** Runs the checks that a tree requires. Returns undefined if they could not be determined. */
  readonly runChecks: (
    snapshot: string
  ) => Promise<
    { readonly gates: readonly GateResult[]; readonly jobs: readonly Job[] } | undefined
  >;
}

const MAX_NAMED = 3;

/** Takes another snapshot, and runs checks at most once more. A failed snapshot counts as another tree. */
export async function lookAgain(
  { runtime, context, runChecks }: SecondLookOptions,
  first: CheckedTree
): Promise<CheckedTree> {
  const second = await snapshotOf(runtime, context, first.snapshot);
  if (second === first.snapshot) return first;
  const again = second === undefined ? undefined : await runChecks(second);
  if (second === undefined || again === undefined) return { ...first, unstable: [] };
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
  const third = await snapshotOf(runtime, context, second);
  if (third === second) return looked;
  return { ...looked, unstable: await namesOf(runtime, context, second, third) };
}

async function snapshotOf(
  runtime: HookRuntime,
  context: GitContext,
  recent: string
): Promise<string | undefined> {
  const taken = await takeSnapshot(runtime, context, { keepIndex: true, recent });
  return idOf(taken);
}

function idOf(taken: Result<{ readonly id: string }, unknown>): string | undefined {
  return taken.isOk() ? taken.value.id : undefined;
}

async function namesOf(
  runtime: HookRuntime,
  context: GitContext,
  from: string,
  to: string | undefined
): Promise<readonly string[]> {
  if (to === undefined) return [];
  const files = await changedFiles(runtime, context, from, to);
  return files.map(changedPaths).unwrapOr([]).slice(0, MAX_NAMED).map(visible);
}
