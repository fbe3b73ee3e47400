/** Writes a run's state for the next run (G16), and its note in the git folder (G24). */
import { err, ok, type Result } from "neverthrow";
import { definedOnly } from "@/common/definedOnly";
import { keepSnapshots } from "@/node/services/gauntlet/change/snapshot/snapshotRefs";
import type { Episode } from "@/node/services/gauntlet/domain/episode";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import { CLOSING_MS } from "@/node/services/gauntlet/run/runOptions";
import { nextState, type EndedRun } from "@/node/services/gauntlet/run/record/nextState";
import { writeState, type ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { latestTurn, type TurnStamp } from "@/node/services/gauntlet/turn/StopSession";
import { hashKey, NO_SESSION, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

/**
 * Writes the state and the note. Writes refs first, because a state must not name objects that git may remove by
 * garbage collection. Also runs after an interrupt (G28).
 */
export async function persistState(
  given: GauntletRunContext,
  state: ExecutionState,
  { jobs = [], scopes = new Map(), reviews, snapshot, baseCommits = [], ...ended }: EndedRun
): Promise<Result<RunResult, { readonly message: string }>> {
  const { options, context, logDir, reporter } = given;
  const { runtime, limitMs } = options;
  const hasTrees =
    options.stop !== undefined && snapshot !== undefined && ended.isUnstable !== true;
  const trees = hasTrees ? { snapshot, head: context.headTree } : undefined;
  const result = { ...ended.result, ...definedOnly({ trees }) };
  // Its snapshots are removed after the run.
  if (context.scratch !== undefined) return ok(result);
  const stamp = await stampOf(given, ended.after);
  const next = nextState(state, {
    ...given,
    ...ended,
    snapshot,
    jobs,
    scopes,
    stamp,
    reviews: reviews?.reviews ?? state.reviews,
    cooldown: reviews?.cooldown ?? state.cooldown,
  });
  const { signal, ...calm } = context;
  const end = limitMs === undefined ? {} : { signal: AbortSignal.timeout(CLOSING_MS) };
  const kept = await keepSnapshots(runtime, { ...calm, ...end }, [
    ...snapshotsOf(next, context),
    ...baseCommits,
  ]);
  if (kept.isErr()) reporter.report("warning", kept.error.message);
  await keepNote(given, state, next, stamp);
  const written = await writeState(runtime, logDir, next);
  if (written.isOk()) return ok(result);
  // A failed gate has failed, even if the state cannot be written.
  if (!isBlockingStatus(result.status)) return err(written.error);
  reporter.report("warning", written.error.message);
  return ok(result);
}

function snapshotsOf(next: ExecutionState, { emptyTree }: GauntletRunContext["context"]): string[] {
  const ids = [
    next.working_tree_ref,
    next.passed?.snapshot,
    ...Object.values(next.baselines).map((baseline) => baseline.snapshot),
    ...Object.values(next.reviews).flatMap((slots) =>
      Object.values(slots).flatMap((slot) => [
        slot.snapshot,
        ...slot.violations.map(({ at }) => at),
      ])
    ),
    ...[next.failures, ...Object.values(next.elsewhere ?? {})]
      .flatMap((failures) => Object.values(failures))
      .flatMap(({ from = [], at = [] }) => [...from, ...[at].flat()]),
  ];
  // git knows the empty tree without an object, which a ref could not hold.
  return ids.filter((id) => id !== undefined && id !== emptyTree) as string[];
}

/** Returns the turn of the stop, or for a run by hand the latest turn. Skips the lookup if no gate is unresolved. */
async function stampOf(
  { options, context }: GauntletRunContext,
  { unresolved }: Episode
): Promise<TurnStamp> {
  const none = { session: NO_SESSION, turn: "" };
  if (options.stop !== undefined) return options.stop;
  if (unresolved.length === 0) return none;
  return (await latestTurn(new TurnStore(options.runtime, context.gitDir))) ?? none;
}

/** Writes the note after a failure. Removes it when no gate is unresolved any longer. */
async function keepNote(
  { options, context, logDir }: GauntletRunContext,
  before: ExecutionState,
  after: ExecutionState,
  { session, turn }: TurnStamp
): Promise<void> {
  const { runtime, projectDir } = options;
  const store = new TurnStore(runtime, context.gitDir);
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
