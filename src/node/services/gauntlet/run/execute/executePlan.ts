/** Runs the jobs of a plan, looks at the tree again, and writes the state for the next run. */
import { unchangedStops } from "@/node/services/gauntlet/run/plan/unchangedTree";
import { posix } from "node:path";
import { type Result } from "neverthrow";
import { visible } from "@/common/text";
import { definedOnly } from "@/common/definedOnly";
import {
  episodeAfter,
  isNoPass,
  keepUnresolved,
  statusOf,
  type Episode,
} from "@/node/services/gauntlet/domain/episode";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import { isDueFor, readsFile } from "@/node/services/gauntlet/domain/checkFiles";
import { isFailure, type GateResult, type Job } from "@/node/services/gauntlet/domain/gate";
import { reportSettings } from "@/node/services/gauntlet/domain/outputs";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";
import { fixFailed } from "@/node/services/gauntlet/messages/fixes";
import * as messages from "@/node/services/gauntlet/messages/run";
import { caveatOf, leftOutViolations } from "@/node/services/gauntlet/run/record/caveats";
import { configGate } from "@/node/services/gauntlet/run/configFailure";
import { adviceOnLimit, endedBy } from "@/node/services/gauntlet/run/execute/timeLimit";
import { inPrevious, movedLog } from "@/node/services/gauntlet/run/logs/movedLogs";
import { goneGates, type UnresolvedSplit } from "@/node/services/gauntlet/run/logs/unresolvedGates";
import { describeChangedScripts } from "@/node/services/gauntlet/run/plan/changedScripts";
import { proofOf } from "@/node/services/gauntlet/run/record/nextState";
import { persistState } from "@/node/services/gauntlet/run/record/persistState";
import { reviewFiles } from "@/node/services/gauntlet/run/logs/putAway";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { KnownFailures } from "@/node/services/gauntlet/run/known/KnownFailures";
import { ReviewRuns } from "@/node/services/gauntlet/run/execute/ReviewRuns";
import { runGates } from "@/node/services/gauntlet/run/execute/runGates";
import type { GauntletRunContext, Plan, RunFailure } from "@/node/services/gauntlet/run/runContext";
import {
  CLOSING_MS,
  comparesOtherwise,
  isDefaultRun,
  isFullRun,
} from "@/node/services/gauntlet/run/runOptions";
import {
  addWritten,
  describeOutputs,
  findReports,
  withOutputs,
  writtenAgain,
} from "@/node/services/gauntlet/run/plan/outputs";
import {
  lookAgain,
  type CheckedTree,
  type WrittenTwice,
} from "@/node/services/gauntlet/run/execute/secondLook";
import { type JobScope, type Selection } from "@/node/services/gauntlet/run/plan/selectJobs";
import { cleanLogs } from "@/node/services/gauntlet/state/clean";
import { type ExecutionState } from "@/node/services/gauntlet/state/executionState";
import type { StopCount } from "@/node/services/gauntlet/turn/StopSession";
import { nextRunNumber } from "@/node/services/gauntlet/state/runFiles";

const MAX_GONE = 3;

/** Selects the jobs for another tree, without unresolved gates. */
type Select = (snapshot: string) => Promise<Result<Selection, RunFailure>>;

export class PlannedRun {
  /** By job, what it was compared with, in the last look at the tree. */
  #scopes: Plan["scopes"];

  constructor(
    private readonly given: GauntletRunContext,
    private readonly state: ExecutionState,
    private readonly plan: Plan,
    private readonly select: Select
  ) {
    this.#scopes = plan.scopes;
  }

  /** @param gone unresolved gates without a job */
  async run(gone: UnresolvedSplit): Promise<Result<RunResult, RunFailure>> {
    const { state, plan } = this;
    const { options, config, logDir, signal, reporter } = this.given;
    const { log, before, jobs, shard } = plan;
    const emit = (event: RunEvent): void => {
      log.onEvent(event);
      reporter.emit(event);
    };
    emit({ type: "plan", jobs });
    const scripts = await describeChangedScripts(this.given, jobs);
    for (const text of scripts) reporter.weaken(text);
    const reviews = new ReviewRuns(this.given, state);
    const known = new KnownFailures(this.given, state, plan);
    const fixed = await this.#fixedGates(gone.blocking, emit);
    const first = await runGates(this.given, plan, { reviews, known }, emit);
    const endedBefore = endedBy(options, signal);
    const checkedAt = this.given.now();
    const looked = await this.#lookAgain({ reviews, known, emit, fixed, first });
    const gates = [...fixed, ...looked.gates].map((gate) => withFixes(gate, plan));

    const whole = isFullRun(options);
    const endedNow = endedBy(options, signal);
    // The results before the second look are complete.
    const ended = looked.unstable !== undefined && endedNow === "limit" ? endedBefore : endedNow;
    const outcome = { results: gates, whole, ended, isOther: comparesOtherwise(options) };
    // A full run has every unresolved job that still applies. The others stay unresolved, or are closed if a trusted
    // configuration no longer defines them (G18a).
    const ids = new Set([...looked.jobs.map(({ id }) => id), ...gates.map(({ jobId }) => jobId)]);
    const [here, others] = partition(before.unresolved, (id) => !whole || ids.has(id));
    const settled = episodeAfter({ ...before, unresolved: here }, outcome);
    const { skipped } = reviews;
    const { stop } = options;
    const unchanged = stop === undefined ? 0 : unchangedStops(stop, plan.tree, gates);
    const retries = stop && { ...stop, maxRetries: config.maxRetries, unchanged };
    const status = withWarnings(statusOf(outcome, settled, retries), gates, [
      ...skipped,
      ...plan.fixed.keys(),
      ...scripts,
      ...leftOutViolations(gates),
    ]);
    const foreign = stop === undefined ? this.#failedOtherwise(looked.jobs) : [];
    for (const { jobId } of gates.filter(
      (gate) => foreign.includes(gate.jobId) && !isNoPass(gate)
    )) {
      const text = `${visible(jobId)} passed, and is unresolved until the next stop: it failed with another definition, or in another environment`;
      reporter.report("warning", text);
    }
    const kept = [...others.filter((id) => !gone.closed.includes(id)), ...foreign];
    const after = keepUnresolved(settled, before, kept);
    const cleans = whole && isSuccessStatus(status);
    const { unstable } = looked;
    const found = {
      outputs: addWritten(state.outputs, looked.written),
      reports: await this.#findReports(looked),
      written: addWritten(undefined, looked.once),
    };
    for (const text of describeOutputs(config, found)) reporter.report("warning", text);
    for (const text of await this.#describeGone(gates)) reporter.report("warning", text);
    const isUnstable = cleans && unstable !== undefined;
    if (isUnstable && unstable.length > 0) {
      emit({ type: "notice", level: "info", text: messages.unstableFiles(unstable) });
    }
    for (const { logPath, ...fix } of plan.failedFixes) {
      const path = logPath !== undefined && cleans ? inPrevious(logPath, logDir) : logPath;
      const text = fixFailed({ ...fix, logPath: path });
      log.onEvent({ type: "notice", level: "warning", text });
      reporter.report("warning", text);
    }
    const shown = cleans ? gates.map((gate) => movedLog(gate, logDir)) : gates;
    const result = createResult(status, {
      gates: shown,
      fixed: [
        ...before.unresolved.filter((id) => !after.unresolved.includes(id)),
        ...reviews.fixed,
      ],
      skipped,
      consoleLogPath: cleans ? inPrevious(log.path, logDir) : log.path,
      ...(status === "infrastructure_error"
        ? { errorMessage: whyNot(gates, ended, this.given) }
        : {}),
      ...(whole ? attemptOf(before, stop, config.maxRetries) : {}),
      ...definedOnly({
        caveat: caveatOf(shown, {
          passed: cleans,
          unstable: isUnstable ? messages.whyUnstable(looked.late, checkedAt) : undefined,
          fixed: plan.fixed,
          offers: status === "retry_limit_exceeded" ? limitCauses(gates, options) : known.offers,
          skipped,
        }),
      }),
      ...(isUnstable ? { unstable } : {}),
      ...(stop === undefined ? {} : { tree: plan.tree, unchangedStops: unchanged }),
      warnings: reporter.warnings,
      ...definedOnly({ reasonBudget: config.reasonBudget }),
      ...shard,
    });
    const { snapshot, reviewSnapshot } = looked;
    const closed = log.close(result);
    const called = { ...state, calls: reviews.calls };
    const left = await persistState(this.given, called, {
      ...{ after, result, snapshot, reviewSnapshot, isUnstable, reviews, found },
      ...{ open: known.open, untold: known.untold },
      ...{ jobs: looked.jobs, environment: plan.environment },
      scopes: this.#scopes,
      baseCommits: plan.bases.made,
    });
    await closed;
    if (cleans) {
      const copied = reviewFiles({ reviews: reviews.reviews, unresolved: after.unresolved });
      await cleanLogs(options.runtime, logDir, { keepState: true, copied });
    }
    return left;
  }

  /** Returns the unresolved jobs that failed with another definition or environment. A run by hand resolves none of them. */
  #failedOtherwise(jobs: readonly Job[]): string[] {
    const { state, plan } = this;
    return plan.before.unresolved.filter((id) => {
      const gate = jobs.find((job) => job.id === id)?.gate;
      const proof = state.failures[id]?.proof;
      return gate && proof !== undefined && proof !== proofOf(gate, plan.environment);
    });
  }

  /** Names the files that unresolved checks rejected, if these checks are resolved only because the files are gone. */
  async #describeGone(gates: readonly GateResult[]): Promise<string[]> {
    const { runtime, projectDir } = this.given.options;
    const texts = gates.map(async ({ jobId, outcome }) => {
      const { files = [] } = this.state.failures[jobId] ?? {};
      if (outcome !== "no_files" || files.length === 0) return [];
      const stats = await runtime.stat(files.map((file) => posix.join(projectDir, file)));
      const gone = files
        .filter((_, i) => stats[i]?.kind === "missing")
        .map((file) => visible(file));
      const shown = gone.slice(0, MAX_GONE);
      if (gone.length === 0) return [];
      return [messages.rejectedGone(visible(jobId), shown, gone.length - shown.length)];
    });
    return (await Promise.all(texts)).flat();
  }

  /** Returns gates that fail before any job runs: a broken configuration, and gates that no longer apply. */
  async #fixedGates(
    blocking: readonly string[],
    emit: (event: RunEvent) => void
  ): Promise<GateResult[]> {
    const { options, logDir } = this.given;
    const { runtime, configProblem: problem } = options;
    const config =
      problem === undefined
        ? []
        : [await configGate(runtime, { problem, logDir, run: this.plan.run })];
    const gates = [...config, ...(await goneGates(runtime, logDir, blocking))];
    for (const result of gates) emit({ type: "gate-end", result });
    return gates;
  }

  /** Looks at the working tree again, but only if a pass would be recorded for it (G20c). */
  async #lookAgain({ reviews, known, emit, fixed, first }: FirstRound): Promise<CheckedTree> {
    const { plan } = this;
    const { options, config, context, env, logDir } = this.given;
    const { runtime } = options;
    const looked = { gates: first, jobs: plan.jobs, snapshot: plan.snapshot };
    const isOver = endedBy(options, this.given.signal) !== undefined;
    const hasFailed = [...fixed, ...first].some(isFailure);
    if (!isDefaultRun(options, env) || isOver || hasFailed || plan.jobs.length === 0) return looked;
    const writtenTogether = (jobs: readonly Job[], paths: readonly string[]) =>
      writtenAgain(this.state.written, jobs, paths);
    const runChecks = async (snapshot: string, changed: readonly string[]) => {
      const selection = await this.select(snapshot);
      const run = await nextRunNumber(runtime, logDir);
      if (selection.isErr() || run.isErr()) return undefined;
      const { scopes } = selection.value;
      const jobs = selection.value.jobs.filter((job) => concerns(changed, job, scopes.get(job.id)));
      if (performance.now() + this.#expectedMs(jobs, first) > (this.given.until ?? Infinity)) {
        return "late";
      }
      this.#scopes = new Map([...this.#scopes, ...scopes]);
      const again = { ...plan, run: run.value, snapshot, jobs, scopes };
      if (jobs.length === 0) return { jobs, gates: [] };
      const gates = await runGates(this.given, again, { reviews, known }, emit);
      const [late, done] = partition(gates, ({ overLimit }) => overLimit === true);
      return late.length > 0 && !done.some(isFailure) ? "late" : { jobs, gates: done };
    };
    const place = closing(context, options);
    const leavingOut = (written: WrittenTwice | undefined) => {
      if (written === undefined) return place;
      return withOutputs(place, config, { outputs: addWritten(this.state.outputs, written) });
    };
    return await lookAgain(
      { runtime, context: place, leavingOut, runChecks, writtenAgain: writtenTogether },
      looked
    );
  }

  /** Returns how long these checks took in the first look, in milliseconds. */
  #expectedMs(jobs: readonly Job[], first: readonly GateResult[]): number {
    const [parallel, others] = partition(
      jobs,
      ({ gate }) => gate.parallel && this.given.config.allowParallel
    ).map((part) =>
      part.map(({ id }) => first.find(({ jobId }) => jobId === id)?.durationMs ?? 0)
    ) as [number[], number[]];
    return Math.max(
      others.reduce((sum, ms) => sum + ms, 0),
      ...parallel
    );
  }

  /** Looks for reports that git does not ignore after their checks ran. Otherwise the last result applies. */
  async #findReports({ gates, jobs }: CheckedTree) {
    const { options, context } = this.given;
    const { reports } = this.state;
    const hasReport = jobs.some(
      ({ id, gate }) =>
        gate.kind === "check" &&
        reportSettings(gate).length > 0 &&
        gates.some(({ jobId, command }) => jobId === id && command !== undefined)
    );
    if (!hasReport) return reports;
    return await findReports(options.runtime, closing(context, options));
  }
}

/** Returns whether a check may have another result because these files changed. */
function concerns(changed: readonly string[], job: Job, scope: JobScope | undefined): boolean {
  const covered = changed.filter((file) => scope?.covers(file) === true);
  const { gate } = job;
  return gate.kind === "check" && isDueFor(job, covered) && covered.some((f) => readsFile(job, f));
}

function withFixes(gate: GateResult, { fixed, unfixed }: Plan): GateResult {
  const command = unfixed.get(gate.jobId);
  const isUnfixed = command !== undefined && gate.outcome === "failed";
  const why = isUnfixed
    ? {
        text: "Its fix did not get the files that last changed before the user's message. If they are part of your work, this command in its folder fixes them:",
        about: [command],
      }
    : undefined;
  const explanation = gate.explanation ?? why;
  return { ...gate, ...definedOnly({ fixedFiles: fixed.get(gate.jobId), explanation }) };
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
  readonly reviews: ReviewRuns;
  readonly known: KnownFailures;
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

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/**
 * Downgrades a pass with skipped or left out violations, flaky checks, changed scripts or fixed files: the agent may stop, and the user
 * is notified (G2, G20d, G35, G36, G45).
 */
function withWarnings(
  status: GauntletStatus,
  gates: readonly GateResult[],
  others: readonly unknown[]
): GauntletStatus {
  const warns =
    others.length > 0 || gates.some(({ flaky, outcome }) => flaky === true || outcome === "known");
  return status === "passed" && warns ? "passed_with_warnings" : status;
}

function whyNot(
  gates: readonly GateResult[],
  ended: "person" | "limit" | undefined,
  { options, signal }: Pick<GauntletRunContext, "options" | "signal">
): string {
  const [gate, ...others] = gates.filter(({ unreachable }) => unreachable === true);
  if (ended === "person" || gate?.message === undefined) return abortReason(signal);
  const also = others.map(({ jobId }) => jobId);
  const advice = adviceOnLimit(gates, options);
  const why = `${gate.jobId}${gate.overLimit === true ? "" : ":"} ${gate.message}${messages.alsoWithoutResult(also)}`;
  return advice === undefined ? why : `${why}; ${advice}`;
}

/** Names the gates that the time limit of a stop ended, with the next steps of the user (G27c). */
function limitCauses(
  gates: readonly GateResult[],
  options: GauntletRunContext["options"]
): string[] {
  const over = gates.filter(({ overLimit }) => overLimit === true);
  const causes = over.map(({ jobId, message = "" }) => `${jobId} ${message}`);
  return [...causes, adviceOnLimit(gates, options)].filter((text) => text !== undefined);
}

function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name !== "AbortError"
    ? reason.message
    : messages.INTERRUPTED;
}
