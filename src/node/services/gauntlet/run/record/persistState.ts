/**
 * Computes the state that a run leaves for the next one, such as the last pass of each gate and the unresolved gates,
 * and writes it, after the refs that protect its snapshots from git's garbage collection (G16). Also writes or removes
 * the note of failed gates in the git folder (G24). A pass that cannot be recorded becomes an infrastructure error.
 */
import { err, ok, type Result } from "neverthrow";
import { keepSnapshots } from "@/node/services/gauntlet/change/git/gitQueries";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import type { EndedPlan, FailedPlan } from "@/node/services/gauntlet/run/plan/planRun";
import type * as runContext from "@/node/services/gauntlet/run/runContext";
import * as runOptions from "@/node/services/gauntlet/run/runOptions";
import * as executionState from "@/node/services/gauntlet/state/executionState";
import { isOfTurn, latestTurn, type TurnStamp } from "@/node/services/gauntlet/turn/StopHistory";
import { hashKey, NO_SESSION, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { gateTexts } from "@/node/services/gauntlet/domain/changedGates";
import { isUnresolved } from "@/node/services/gauntlet/domain/episode";
import { type GateDefinition, folderOfJob } from "@/node/services/gauntlet/domain/gate";
import { getsBase, getsFiles, readsHistory } from "@/node/services/gauntlet/domain/relevantFiles";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import { lateAfter } from "@/node/services/gauntlet/run/execute/overTimeLimit";

/** Records how a run ended, so that the next run knows it, and returns its result. Includes a failed run (G16). */
export async function recordEnd(end: EndedPlan | FailedPlan): Promise<RunResult> {
  const { given, state } = end;
  const done =
    end.kind === "ended"
      ? await persistState(given, end.state, end.ended)
      : err<RunResult, runContext.RunFailure>(end.failure);
  if (done.isOk()) return done.value;
  const result = createResult("infrastructure_error", { errorMessage: done.error.message });
  if (state !== undefined)
    await persistState(given, state, { after: executionState.episodeOf(state), result });
  return result;
}

/**
 * Writes the state and the note. Writes refs first, because a state must not name objects that git may remove by
 * garbage collection. Also runs after an interrupt (G28).
 */
export async function persistState(
  given: runContext.GauntletRunContext,
  state: executionState.ExecutionState,
  ended: runContext.EndedRun
): Promise<Result<RunResult, runContext.RunFailure>> {
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
  const signal =
    options.limitMs === undefined ? undefined : AbortSignal.timeout(runOptions.CLOSING_MS);
  const refs = [...snapshotsOf(next, context.emptyTree), ...baseCommits];
  const kept = await keepSnapshots(runtime, { ...context, signal }, refs);
  if (kept.isErr()) reporter.warn(kept.error.message);
  await keepNote(given, store, state, next, stamp);
  const written = await executionState.writeState(runtime, logDir, next);
  if (written.isOk()) return ok(result);
  // A failed gate has failed, even if the state cannot be written.
  if (!isBlockingStatus(result.status)) return err(written.error);
  reporter.warn(written.error.message);
  return ok(result);
}

function snapshotsOf(next: executionState.ExecutionState, emptyTree: string): string[] {
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
  { projectDir, logDir }: runContext.GauntletRunContext,
  store: TurnStore,
  before: executionState.ExecutionState,
  after: executionState.ExecutionState,
  { session, turn }: TurnStamp
): Promise<void> {
  const key = hashKey(projectDir);
  const hasFailed = after.status === "failed" || after.status === "retry_limit_exceeded";
  const isResolved = before.open.length > 0 && after.open.length === 0;
  if (hasFailed && after.open.length > 0) {
    await store.write("failed", key, { projectDir, logDir, session, turn, state: after });
  } else if (isResolved && isSuccessStatus(after.status ?? "error")) {
    await store.remove("failed", key);
  }
}

type Given = Pick<runContext.GauntletRunContext, "options" | "config" | "context" | "env" | "now">;

/**
 * Returns the state after a run.
 *
 * @param stamp the user's turn that the run belongs to
 */
export function nextState(
  given: Given,
  before: executionState.ExecutionState,
  ended: runContext.EndedRun,
  stamp: TurnStamp
): executionState.ExecutionState {
  const { options, config, context, env, now } = given;
  const { after, result, snapshot, jobs = [], reviews = before, found = before } = ended;
  const { stop, skip, baseBranch } = options;
  const tells = stop !== undefined && options.signal?.aborted !== true;
  const isDefault = runOptions.isDefaultRun(options, env) && snapshot !== undefined;
  const isRecorded = isDefault && ended.isUnstable !== true;
  const isPass = isRecorded && skip === undefined && isSuccessStatus(result.status);
  const hasKnown = result.gates.some(({ outcome }) => outcome === "known");
  // A pass of a run by hand counts only in the same environment (G7a).
  const { environment } = ended;
  const proof = stop === undefined ? { environment } : {};
  // A pass applies to one tree (G20c), a flaky check has to run again (G36), and a run without gates verified nothing
  // (G18).
  const isOfTree =
    isPass &&
    ended.reviewSnapshot === undefined &&
    result.gatesRun > 0 &&
    !result.gates.some(({ flaky }) => flaky === true);
  const tree = { snapshot: snapshot ?? "", definition: config.digest, head: context.head };
  const isOver =
    runOptions.isFullRun(options) && after.attempt === 0 && after.unresolved.length === 0;
  return {
    ...before,
    last_run_completed_at: now().toISOString(),
    branch: context.branch,
    commit: context.head,
    working_tree_ref: snapshot ?? before.working_tree_ref,
    status: result.status,
    gates_run: result.gatesRun,
    // A base for this run only does not affect the next run.
    base_had_commit: baseBranch === undefined ? context.headInBase : true,
    // A pass that applies to no tree does not start an interval either, nor does a run with known failures.
    partial:
      !runOptions.isFullRun(options) ||
      [baseBranch, skip].some((narrowing) => narrowing !== undefined) ||
      ended.isUnstable === true ||
      hasKnown,
    // Only a stop with an answer reports changed definitions, so another run keeps the earlier ones.
    definitions: (tells ? undefined : before.definitions) ?? gateTexts(config.entryPoints),
    start_untold: !tells && (context.isFirstLook === true || before.start_untold === true),
    untold: tells
      ? undefined
      : [...(before.untold ?? []), ...(ended.untold ?? [])].slice(0, MAX_UNTOLD),
    // The commits of the last push that the gates refused. A pass of all gates ends the record (G51).
    refused_push: isBlockingStatus(result.status)
      ? (options.pushing?.slice() ?? before.refused_push)
      : runOptions.isFullRun(options) && isSuccessStatus(result.status) && result.gatesRun > 0
        ? undefined
        : before.refused_push,
    cleaned: isDefault ? undefined : before.cleaned,
    attempt: after.attempt,
    open: [...after.unresolved],
    failures: failuresAfter(given, before, ended, stamp),
    // The findings of reviews end with the episode.
    reviews: isOver ? {} : ofGates(reviews.reviews, config, after.unresolved),
    cooldown: reviews.cooldown,
    late: ofGates(lateAfter(before, options, result.gates, jobs), config, after.unresolved),
    outputs: ofGates(found.outputs ?? {}, config),
    written: found.written,
    reports: found.reports,
    baselines: isDefault ? moveBaselines(given, before, ended, proof) : before.baselines,
    known:
      hasKnown && isOfTree && stop !== undefined
        ? { ...tree, told: result.caveat }
        : result.gates.length > 0
          ? undefined
          : before.known,
    passed: isOfTree && !hasKnown ? { ...tree, ...proof } : before.passed,
  };
}

/** Returns a text that identifies the definition and the environment with which a gate failed. */
export function proofOf(gate: GateDefinition, environment = ""): string {
  return `${definitionOf(gate)} ${environment}`;
}

/** Records for each unresolved gate the turn in which it last failed (G18a). */
function failuresAfter(
  { options, context }: Given,
  { failures }: executionState.ExecutionState,
  ended: runContext.EndedRun,
  stamp: TurnStamp
): executionState.ExecutionState["failures"] {
  const { after, result, snapshot, jobs = [], scopes, environment, open } = ended;
  const failedNow = new Set(result.gates.filter(isUnresolved).map(({ jobId }) => jobId));
  const here = { session: stamp.session, turn: stamp.turn, branch: context.branch };
  return Object.fromEntries(
    after.unresolved.map((id) => {
      const earlier = failures[id];
      if (!failedNow.has(id) || runOptions.comparesOtherwise(options)) return [id, earlier ?? here];
      const gate = jobs.find((job) => job.id === id)?.gate;
      // A run that did not reach a verdict keeps the new failures of the turn (G45).
      const { fresh, ran, skipped, once }: Partial<executionState.FailureState> =
        open?.get(id) ?? (isOfTurn(earlier, stamp) ? earlier : {});
      const { from, files } = scopes?.get(id) ?? {};
      const isCompared = gate !== undefined && (getsFiles(gate) || getsBase(gate));
      // The starts of the comparisons in which a check with placeholders failed, in this run and before. So a file that
      // it rejected stays in its list, even if the comparison of the next run starts after that file changed (G32).
      const compared = new Set([...(earlier?.from ?? []), ...(isCompared && from ? [from] : [])]);
      return [
        id,
        {
          ...here,
          proof: gate && proofOf(gate, environment),
          ...{ fresh, ran, skipped, once },
          from: compared.size === 0 ? undefined : [...compared].slice(0, MAX_COMPARED),
          ...(files && { files: files.slice(0, MAX_REJECTED), at: snapshot }),
        },
      ];
    })
  );
}

const MAX_UNTOLD = 20;
/** Files that a check rejected. More of them are found only by the comparison. */
const MAX_REJECTED = 1_000;
/** A gate that stays unresolved on several branches has one for each. */
const MAX_COMPARED = 8;

/** Keeps the entries of gates that the configuration defines, and of unresolved ones. */
function ofGates<T>(
  byJob: Readonly<Record<string, T>>,
  { entryPoints }: Given["config"],
  unresolved: readonly string[] = []
): Record<string, T> {
  const gates = entryPoints.flatMap((point) => point.gates);
  return Object.fromEntries(
    Object.entries(byJob).filter(
      ([id]) => unresolved.includes(id) || gates.some((gate) => folderOfJob(id, gate) !== undefined)
    )
  );
}

/**
 * Moves the baseline of each gate that passed without being flaky (G36) to this run's tree, and drops the baselines of
 * gates that no longer exist. If files changed while the checks ran, only a review passed on a known tree (G20c).
 */
function moveBaselines(
  { config, context: { head } }: Given,
  { baselines }: executionState.ExecutionState,
  { result, snapshot, reviewSnapshot = snapshot, isUnstable, jobs = [] }: runContext.EndedRun,
  proof: Pick<executionState.Baseline, "environment">
): Record<string, executionState.Baseline> {
  const moved = Object.entries(ofGates(baselines, config));
  const gates = new Map(jobs.map(({ id, gate }) => [id, gate]));
  for (const { jobId, kind, outcome, flaky } of result.gates) {
    const gate = gates.get(jobId);
    const tree = kind === "review" ? reviewSnapshot : isUnstable ? undefined : snapshot;
    const isPass = outcome === "passed" && flaky !== true;
    if (!isPass || tree === undefined || gate === undefined) continue;
    const isCompared = kind === "review" || getsBase(gate) || getsFiles(gate) || readsHistory(gate);
    const definition = definitionOf(gate);
    const pass = { snapshot: tree, definition, head: isCompared ? head : undefined, ...proof };
    moved.push([jobId, pass]);
  }
  return Object.fromEntries(moved);
}
