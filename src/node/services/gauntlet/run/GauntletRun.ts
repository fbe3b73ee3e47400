/** One run, from the state of an earlier run to the state for the next one. The lock is held. */
import { err, ok, safeTry, type Result, type ResultAsync } from "neverthrow";
import { definedOnly } from "@/common/definedOnly";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import {
  episodeAfter,
  keepUnresolved,
  NEW_EPISODE,
  statusOf,
  type Episode,
} from "@/node/services/gauntlet/domain/episode";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import {
  isFailure,
  type GateDefinition,
  type GateResult,
  type Job,
} from "@/node/services/gauntlet/domain/gate";
import { folderOfJob } from "@/node/services/gauntlet/domain/jobId";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";
import * as messages from "@/node/services/gauntlet/messages/run";
import { caveatOf } from "@/node/services/gauntlet/run/caveats";
import { contextChange } from "@/node/services/gauntlet/run/logs/autoClean";
import { describeChangedGates } from "@/node/services/gauntlet/run/unresolved/changedDefinitions";
import { configGate } from "@/node/services/gauntlet/run/configFailure";
import { endedBy } from "@/node/services/gauntlet/run/LimitFailures";
import { inPrevious, movedLog } from "@/node/services/gauntlet/run/logs/movedLogs";
import {
  describeDormant,
  goneGates,
  splitUnresolved,
  type UnresolvedSplit,
} from "@/node/services/gauntlet/run/unresolved/unresolvedGates";
import {
  describeNested,
  submodulePaths,
} from "@/node/services/gauntlet/run/changes/nestedRepositories";
import { shardIdentity } from "@/node/services/gauntlet/run/shards/shardIdentity";
import { persistState } from "@/node/services/gauntlet/run/persistState";
import { putAway, reviewFiles } from "@/node/services/gauntlet/run/unresolved/putAway";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { ReviewRuns } from "@/node/services/gauntlet/run/ReviewRuns";
import { runGates } from "@/node/services/gauntlet/run/runGates";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import { RunLog } from "@/node/services/gauntlet/run/logs/RunLog";
import {
  CLOSING_MS,
  isDefaultRun,
  isFullRun,
  usableBaselines,
} from "@/node/services/gauntlet/run/runOptions";
import { lookAgain, type CheckedTree } from "@/node/services/gauntlet/run/changes/secondLook";
import { selectJobs, type Selection } from "@/node/services/gauntlet/run/selectJobs";
import { jobsOfShard } from "@/node/services/gauntlet/run/shards/shard";
import {
  selectGates,
  type SelectedGates,
} from "@/node/services/gauntlet/run/unresolved/selectGates";
import { cleanLogs } from "@/node/services/gauntlet/state/clean";
import {
  episodeOf,
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import type { StopCount } from "@/node/services/gauntlet/turn/StopSession";
import { nextRunNumber } from "@/node/services/gauntlet/state/runFiles";

interface RunFailure {
  readonly message: string;
}

export class GauntletRun {
  /** The state of an earlier run, once it was read. */
  #found: ExecutionState | undefined;

  constructor(private readonly given: GauntletRunContext) {}

  async run(): Promise<RunResult> {
    const done = await this.#attempt();
    if (done.isOk()) return done.value;
    const result = createResult("infrastructure_error", { errorMessage: done.error.message });
    // Persist a failed run as well, so that the next run knows how this one ended (G16).
    if (this.#found !== undefined) {
      await persistState(this.given, this.#found, {
        after: episodeOf(this.#found),
        result,
      });
    }
    return result;
  }

  #attempt(): ResultAsync<RunResult, RunFailure> {
    const { options, config, context, logDir, env, reporter } = this.given;
    const { runtime } = options;
    return safeTry(
      async function* (this: GauntletRun) {
        const found = yield* await this.#currentState();
        this.#found = found;
        const submodules = submodulePaths(runtime, context);
        let state = found;
        for (const text of await describeChangedGates(this.given, state)) {
          reporter.report("warning", text);
        }
        const before = episodeOf(state);
        const wanted = selectGates(config, options, env);
        if (wanted.isErr()) {
          const result = createResult("error", { errorMessage: wanted.error });
          return await persistState(this.given, state, { after: before, result });
        }
        const { skippedInThisEnv } = wanted.value;
        const { id: snapshot, warnings } = yield* await takeSnapshot(runtime, context, {
          keepIndex: true,
        });
        for (const text of warnings) reporter.report("warning", text);
        if (this.#isVerified(state, snapshot)) {
          await this.#nameNested([...(state.repositories ?? []), ...(await submodules)]);
          const result = createResult("no_changes");
          return await persistState(this.given, state, { after: before, result, snapshot });
        }
        const unresolved = options.shard === undefined ? before.unresolved : [];
        const selection = yield* await this.#select(state, wanted.value, snapshot, unresolved);
        const { repositories } = selection;
        state = { ...state, repositories: [...repositories] };
        await this.#nameNested([...repositories, ...(await submodules)]);
        const jobs = jobsOfShard(selection.jobs, options.shard);
        const shard = shardIdentity(this.given, snapshot, selection.jobs);
        const gone = this.#splitOpen(state, selection.jobs, skippedInThisEnv);
        if (
          jobs.length === 0 &&
          gone.blocking.length === 0 &&
          options.configProblem === undefined
        ) {
          const kept = before.unresolved.filter((id) => !gone.closed.includes(id));
          const after = isFullRun(options) ? keepUnresolved(NEW_EPISODE, before, kept) : before;
          const isSettled = !selection.hasChanges && after.unresolved.length === 0;
          const result = isSettled
            ? createResult("no_changes", { ...this.#firstLook(state), ...shard })
            : createResult("no_applicable_gates", shard);
          return await persistState(this.given, state, { after, result, snapshot });
        }
        const run = yield* await nextRunNumber(runtime, logDir);
        const log = new RunLog(runtime, logDir, run);
        for (const notice of reporter.notices) log.onEvent(notice);
        const { scopes } = selection;
        const plan = { run, snapshot, jobs, scopes, log, before, skippedInThisEnv, shard };
        return await this.#check(state, plan, gone, wanted.value);
      }.bind(this)
    );
  }

  /** Returns the state for this context. Puts away logs of another branch or of merged work; keeps unresolved gates. */
  async #currentState(): Promise<Result<ExecutionState, RunFailure>> {
    const { options, context, logDir, reporter } = this.given;
    const { runtime, baseBranch } = options;
    const { state, warning, lost } = await readState(runtime, logDir);
    if (lost !== undefined) return err(lost);
    if (warning !== undefined) reporter.report("warning", warning);
    if (state === undefined) return ok(NO_STATE);
    const changed = await contextChange(runtime, context, state, baseBranch);
    if (changed.isErr()) return err(changed.error);
    if (changed.value === undefined) return ok(state);
    const baselines = state.branch === context.branch;
    const cleaned = await putAway(runtime, logDir, state, { unresolved: state.open, baselines });
    if (cleaned.isErr()) return err(cleaned.error);
    reporter.report("info", changed.value);
    return ok(cleaned.value.state);
  }

  async #nameNested(paths: readonly string[]): Promise<void> {
    const { options, context, reporter } = this.given;
    for (const text of await describeNested(options.runtime, context, paths)) {
      reporter.report("warning", text);
    }
  }

  /** Returns true if no file has changed since all gates passed with the same configuration. */
  #isVerified({ passed, open }: ExecutionState, snapshot: string): boolean {
    const { options, config, env } = this.given;
    return (
      isDefaultRun(options, env) &&
      options.configProblem === undefined &&
      options.all !== true &&
      options.force !== true &&
      open.length === 0 &&
      passed?.snapshot === snapshot &&
      passed.definition === config.digest
    );
  }

  #select(
    state: ExecutionState,
    { entryPoints }: Pick<SelectedGates, "entryPoints">,
    snapshot: string,
    unresolved: readonly string[]
  ): ResultAsync<Selection, RunFailure> {
    const { options, context, env, config } = this.given;
    const { runtime, scope, all = false } = options;
    const { globalDependencies } = config;
    return selectJobs({
      runtime,
      context,
      entryPoints,
      snapshot,
      unresolved,
      globalDependencies,
      all,
      fromBase: state.cleaned === true,
      baselines: usableBaselines(options, env, state.baselines),
      scope,
    });
  }

  /**
   * Splits the unresolved gates without a job, except for those that do not run in this environment (`run_in_ci`,
   * `run_locally`). Returns none for a partial run.
   */
  #splitOpen(
    state: ExecutionState,
    jobs: readonly Job[],
    skippedInThisEnv: readonly GateDefinition[]
  ): UnresolvedSplit {
    const { options, config, reporter } = this.given;
    if (!isFullRun(options)) return { blocking: [], dormant: [], closed: [] };
    const ids = new Set(jobs.map(({ id }) => id));
    const gone = state.open.filter((id) => !ids.has(id) && !isJobOf(id, skippedInThisEnv));
    const defined = config.entryPoints.flatMap(({ gates }) => gates);
    const split = splitUnresolved(gone, state, options, defined);
    for (const id of split.dormant) reporter.report("warning", describeDormant(id, state));
    return split;
  }

  /** Returns the caveat "nothing to compare with" (G20b). A stop repeats it if only runs by hand have reported it. */
  #firstLook({ start_untold }: ExecutionState): Pick<RunResult, "caveat"> {
    const { context, options } = this.given;
    const isUnreported = options.stop !== undefined && start_untold === true;
    return context.isFirstLook === true || isUnreported ? { caveat: messages.firstLook() } : {};
  }

  async #check(
    state: ExecutionState,
    plan: Plan,
    gone: UnresolvedSplit,
    wanted: SelectedGates
  ): Promise<Result<RunResult, RunFailure>> {
    const { options, config, logDir, signal, reporter } = this.given;
    const { log, before, jobs, shard } = plan;
    const emit = (event: RunEvent): void => {
      log.onEvent(event);
      reporter.emit(event);
    };
    emit({ type: "plan", jobs });
    const reviews = new ReviewRuns(this.given, state);
    const fixed = await this.#fixedGates(plan, gone.blocking, emit);
    const first = await runGates(this.given, plan, reviews, emit);
    const looked = await this.#lookAgain(state, plan, { wanted, reviews, emit, fixed, first });
    const gates = [...fixed, ...looked.gates];

    const whole = isFullRun(options);
    const ended = endedBy(options, signal);
    const outcome = { results: gates, whole, ended };
    // A full run has every unresolved job that still applies. The others stay unresolved, or are closed if a trusted
    // configuration no longer defines them (G18a).
    const ids = new Set([...looked.jobs.map(({ id }) => id), ...gates.map(({ jobId }) => jobId)]);
    const [here, others] = partition(before.unresolved, (id) => !whole || ids.has(id));
    const settled = episodeAfter({ ...before, unresolved: here }, outcome);
    const { skipped } = reviews;
    const { stop } = options;
    const retries = stop && { ...stop, maxRetries: config.maxRetries };
    const status = withWarnings(statusOf(outcome, settled, retries), skipped);
    const kept = others.filter((id) => !gone.closed.includes(id));
    const after = keepUnresolved(settled, before, kept);
    const cleans = whole && isSuccessStatus(status);
    const { unstable } = looked;
    const isUnstable = cleans && unstable !== undefined;
    if (isUnstable && unstable.length > 0) {
      emit({ type: "notice", level: "info", text: messages.unstableFiles(unstable) });
    }
    const result = createResult(status, {
      gates: cleans ? gates.map((gate) => movedLog(gate, logDir)) : gates,
      fixed: [
        ...before.unresolved.filter((id) => !after.unresolved.includes(id)),
        ...reviews.fixed,
      ],
      skipped,
      consoleLogPath: cleans ? inPrevious(log.path, logDir) : log.path,
      ...(status === "infrastructure_error" ? { errorMessage: whyNot(gates, signal) } : {}),
      ...(whole ? attemptOf(before, stop, config.maxRetries) : {}),
      ...definedOnly({ caveat: cleans ? caveatOf(gates, isUnstable) : undefined }),
      ...(isUnstable ? { unstable } : {}),
      warnings: reporter.warnings,
      ...shard,
    });
    await log.close(result);
    const { snapshot, reviewSnapshot } = looked;
    const left = await persistState(this.given, state, {
      ...{ after, result, snapshot, reviewSnapshot, isUnstable, reviews },
      jobs: looked.jobs,
    });
    if (cleans) {
      const copied = reviewFiles({ reviews: reviews.reviews, unresolved: after.unresolved });
      await cleanLogs(options.runtime, logDir, { keepState: true, copied });
    }
    return left;
  }

  /** Returns gates that fail before any job runs: a broken configuration, and gates that no longer apply. */
  async #fixedGates(
    plan: Plan,
    blocking: readonly string[],
    emit: (event: RunEvent) => void
  ): Promise<GateResult[]> {
    const { options, logDir } = this.given;
    const { runtime, configProblem: problem } = options;
    const config =
      problem === undefined ? [] : [await configGate(runtime, { problem, logDir, run: plan.run })];
    const gates = [...config, ...(await goneGates(runtime, logDir, blocking))];
    for (const result of gates) emit({ type: "gate-end", result });
    return gates;
  }

  /** Looks at the working tree again, but only if a pass would be recorded for it (G20c). */
  async #lookAgain(
    state: ExecutionState,
    plan: Plan,
    { wanted, reviews, emit, fixed, first }: FirstRound
  ): Promise<CheckedTree> {
    const { options, context, env, logDir } = this.given;
    const { runtime } = options;
    const looked = { gates: first, jobs: plan.jobs, snapshot: plan.snapshot };
    const isOver = endedBy(options, this.given.signal) !== undefined;
    const hasFailed = [...fixed, ...first].some(isFailure);
    if (!isDefaultRun(options, env) || isOver || hasFailed || plan.jobs.length === 0) return looked;
    const runChecks = async (snapshot: string) => {
      const selection = await this.#select(state, wanted, snapshot, []);
      const run = await nextRunNumber(runtime, logDir);
      if (selection.isErr() || run.isErr()) return undefined;
      const jobs = selection.value.jobs.filter(({ gate }) => gate.kind === "check");
      const { scopes } = selection.value;
      const again = { ...plan, run: run.value, snapshot, jobs, scopes };
      return { jobs, gates: await runGates(this.given, again, reviews, emit) };
    };
    return await lookAgain({ runtime, context: closing(context, options), runChecks }, looked);
  }
}

/** Returns the attempt and its maximum. Runs by hand cost no attempt, so they have no maximum (G19). */
function attemptOf(
  { attempt }: Episode,
  stop: StopCount | undefined,
  maxRetries: number
): Pick<RunResult, "attempt" | "maxAttempts"> {
  if (stop === undefined) return { attempt: attempt + 1 };
  return { attempt: stop.failed + 1, maxAttempts: maxRetries + 1 };
}

interface FirstRound {
  readonly wanted: SelectedGates;
  readonly reviews: ReviewRuns;
  readonly emit: (event: RunEvent) => void;
  readonly fixed: readonly GateResult[];
  readonly first: readonly GateResult[];
}

/** Gives the git calls after the gates a time limit of their own (G27c). */
function closing<T extends { readonly signal?: AbortSignal }>(
  context: T,
  { limitMs, signal }: Pick<GauntletRunContext["options"], "limitMs" | "signal">
): T {
  if (limitMs === undefined) return context;
  const end = AbortSignal.timeout(CLOSING_MS);
  return { ...context, signal: signal === undefined ? end : AbortSignal.any([signal, end]) };
}

function isJobOf(id: string, gates: readonly GateDefinition[]): boolean {
  return gates.some((gate) => folderOfJob(id, gate) !== undefined);
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** Downgrades a pass if violations were skipped: the agent may stop, and the user is notified (G2). */
function withWarnings(status: GauntletStatus, skipped: readonly unknown[]): GauntletStatus {
  return status === "passed" && skipped.length > 0 ? "passed_with_warnings" : status;
}

function whyNot(gates: readonly GateResult[], signal: AbortSignal | undefined): string {
  const gate = gates.find(({ unreachable }) => unreachable === true);
  if (signal?.aborted === true || gate?.message === undefined) return abortReason(signal);
  return `${gate.jobId}: ${gate.message}`;
}

function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name !== "AbortError"
    ? reason.message
    : messages.INTERRUPTED;
}
