/** Writes a run's state for the next run (G16), and its note in the git folder (G24). */
import { err, ok, type Result } from "neverthrow";
import { keepSnapshots } from "@/node/services/gauntlet/change/git/queries";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import type { EndedPlan, FailedPlan } from "@/node/services/gauntlet/run/plan/planRun";
import { nextState } from "@/node/services/gauntlet/run/record/nextState";
import type {
  EndedRun,
  GauntletRunContext,
  RunFailure,
} from "@/node/services/gauntlet/run/runContext";
import { CLOSING_MS } from "@/node/services/gauntlet/run/runOptions";
import {
  episodeOf,
  writeState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { latestTurn, type TurnStamp } from "@/node/services/gauntlet/turn/StopSession";
import { hashKey, NO_SESSION, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

/** Records how a run ended, so that the next run knows it, and returns its result. Includes a failed run (G16). */
export async function recordEnd(end: EndedPlan | FailedPlan): Promise<RunResult> {
  const { given, state } = end;
  const done =
    end.kind === "ended"
      ? await persistState(given, end.state, end.ended)
      : err<RunResult, RunFailure>(end.failure);
  if (done.isOk()) return done.value;
  const result = createResult("infrastructure_error", { errorMessage: done.error.message });
  if (state !== undefined) await persistState(given, state, { after: episodeOf(state), result });
  return result;
}

/**
 * Writes the state and the note. Writes refs first, because a state must not name objects that git may remove by
 * garbage collection. Also runs after an interrupt (G28).
 */
export async function persistState(
  given: GauntletRunContext,
  state: ExecutionState,
  ended: EndedRun
): Promise<Result<RunResult, RunFailure>> {
  const { runtime, options, context, logDir, reporter } = given;
  const { snapshot, after, baseCommits = [] } = ended;
  const hasTrees = options.stop !== undefined && snapshot !== undefined && !ended.isUnstable;
  const trees = hasTrees ? { snapshot, head: context.headTree } : undefined;
  const result = { ...ended.result, trees };
  // Its snapshots are removed after the run.
  if (context.scratch !== undefined) return ok(result);
  const store = new TurnStore(runtime, context.gitDir);
  // A run by hand belongs to the latest turn, which only an unresolved gate records.
  const latest =
    options.stop ?? (after.unresolved.length === 0 ? undefined : await latestTurn(store));
  const stamp = latest ?? { session: NO_SESSION, turn: "" };
  const next = nextState(given, state, ended, stamp);
  const signal = options.limitMs === undefined ? undefined : AbortSignal.timeout(CLOSING_MS);
  const refs = [...snapshotsOf(next, context.emptyTree), ...baseCommits];
  const kept = await keepSnapshots(runtime, { ...context, signal }, refs);
  if (kept.isErr()) reporter.warn(kept.error.message);
  await keepNote(given, store, state, next, stamp);
  const written = await writeState(runtime, logDir, next);
  if (written.isOk()) return ok(result);
  // A failed gate has failed, even if the state cannot be written.
  if (!isBlockingStatus(result.status)) return err(written.error);
  reporter.warn(written.error.message);
  return ok(result);
}

function snapshotsOf(next: ExecutionState, emptyTree: string): string[] {
  const slots = Object.values(next.reviews).flatMap((of) => Object.values(of));
  const failures = [next.failures, ...Object.values(next.elsewhere ?? {})].flatMap((of) =>
    Object.values(of)
  );
  const ids = [
    next.working_tree_ref,
    next.passed?.snapshot,
    ...Object.values(next.baselines).map((baseline) => baseline.snapshot),
    ...slots.flatMap(({ snapshot, violations }) => [snapshot, ...violations.map(({ at }) => at)]),
    ...failures.flatMap(({ from = [], at = [] }) => [...from, ...[at].flat()]),
  ];
  // git knows the empty tree without an object, which a ref could not hold.
  return ids.filter((id) => id !== undefined && id !== emptyTree) as string[];
}

/** Writes the note after a failure. Removes it when no gate is unresolved any longer. */
async function keepNote(
  { projectDir, logDir }: GauntletRunContext,
  store: TurnStore,
  before: ExecutionState,
  after: ExecutionState,
  { session, turn }: TurnStamp
): Promise<void> {
  const key = hashKey(projectDir);
  const hasFailed = after.status === "failed" || after.status === "retry_limit_exceeded";
  if (hasFailed && after.open.length > 0) {
    await store.write("failed", key, { projectDir, logDir, session, turn, state: after });
  } else if (
    before.open.length > 0 &&
    after.open.length === 0 &&
    isSuccessStatus(after.status ?? "error")
  ) {
    await store.remove("failed", key);
  }
}
