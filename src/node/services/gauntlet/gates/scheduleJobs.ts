/**
 * Schedules the jobs of a run: runs the parallel ones in a pool, and at the same time the others one after another,
 * until a check with `fail_fast` fails (G10). Orders the parallel ones, starts reviews only after the checks of their
 * entry point passed (G41), and runs failed checks again (G36).
 */
import pLimit from "p-limit";
import { describeError } from "@/common/errors";
import type { RunListener } from "@/node/services/gauntlet/domain/runResult";
import { isUnresolved } from "@/node/services/gauntlet/domain/episode";
import type { CheckHistory } from "@/node/services/gauntlet/gates/CheckCache";
import { findingsIn } from "@/node/services/gauntlet/domain/findings/finding";
import { isFailure, type GateResult, type Job } from "@/node/services/gauntlet/domain/gate";

export interface JobsContext {
  /** False if no two jobs may run at the same time. */
  readonly allowParallel: boolean;
  /** The maximum number of parallel jobs at a time, at least one. */
  readonly maxParallel: number;
  readonly runJob: (job: Job) => Promise<GateResult>;
  readonly logPath: (job: Job) => string;
  /** On abort, jobs that have not started, or end with an error, are `cancelled`. `runJob` has to end the others. */
  readonly signal?: AbortSignal;
  /** Whether a result is not final, because the job runs again when all others have ended (G36). */
  readonly mayRetry?: (job: Job, result: GateResult) => boolean;
  readonly retry?: (job: Job, first: GateResult) => Promise<GateResult>;
  /** Changes a result before it counts, such as one that the run's own time limit cancelled (G27c). */
  readonly settle?: (job: Job, result: GateResult) => GateResult;
  /** Receives a `gate-end` for every job, even if it never started, and a `gate-start` only for those that start. */
  readonly emit: RunListener;
}

/**
 * Returns the results in the order of the jobs. If a sequential check with `fail_fast` fails, the sequential jobs that
 * have not started are `skipped`, unless it runs again. A review starts after the checks of its entry point, if they
 * passed. Never rejects: if `runJob` rejects, its job is an `error`.
 */
export async function scheduleJobs(
  jobs: readonly Job[],
  context: JobsContext
): Promise<GateResult[]> {
  const {
    allowParallel,
    maxParallel,
    signal,
    emit,
    settle = (_: Job, result: GateResult) => result,
    mayRetry = () => false,
    retry = (_, first) => Promise.resolve(first),
  } = context;
  const pool = pLimit(Math.max(1, Math.floor(maxParallel)));
  const lane = pLimit(1);
  let stoppedBy: Job | undefined;

  const runInLane = async (job: Job): Promise<GateResult> => {
    if (stoppedBy !== undefined) {
      return notRun(job, "skipped", `Not started because ${stoppedBy.id} failed (fail_fast)`);
    }
    const result = await run(job, context);
    const isFailFast = job.gate.kind === "check" && job.gate.failFast;
    if (isFailFast && isFailure(result) && !mayRetry(job, result)) stoppedBy = job;
    return result;
  };
  const runNow = async (job: Job, isParallel: boolean): Promise<GateResult> => {
    const result = settle(
      job,
      signal?.aborted
        ? notRun(job, "cancelled", "Cancelled before it started")
        : await (isParallel ? run(job, context) : runInLane(job))
    );
    if (mayRetry(job, result)) {
      emit({ type: "notice", level: "info", text: retriedLater(job.id, result.message) });
    } else {
      emit({ type: "gate-end", result });
    }
    return result;
  };
  const results = new Map<Job, GateResult>();
  const start = async (job: Job): Promise<void> => {
    const isParallel = allowParallel && job.gate.parallel;
    results.set(job, await (isParallel ? pool : lane)(runNow, job, isParallel));
  };
  const checksOf = new Map(jobs.map((job) => [job, checksBefore(job, jobs)]));
  const startAfterChecks = async (job: Job): Promise<void> => {
    const checks = (checksOf.get(job) ?? []).flatMap((check) => results.get(check) ?? []);
    const notPassed = signal?.aborted ? [] : checks.filter(isUnresolved);
    if (notPassed.length === 0) {
      await start(job);
      return;
    }
    const result = notStartedAfter(job, notPassed);
    emit({ type: "gate-end", result });
    results.set(job, result);
  };
  const runsAgain = (job: Job): boolean => {
    const result = results.get(job);
    return result !== undefined && mayRetry(job, result);
  };

  const reviews = jobs.filter((job) => checksOf.get(job)?.length !== 0);
  const others = jobs.filter((job) => !reviews.includes(job));
  const started = new Map(others.map((job) => [job, start(job)]));
  // A review whose checks run again starts after that.
  const early = reviews.map(async (job) => {
    const checks = checksOf.get(job) ?? [];
    await Promise.all(checks.flatMap((check) => started.get(check) ?? []));
    if (!checks.some(runsAgain)) await startAfterChecks(job);
  });
  await Promise.all([...started.values(), ...early]);
  for (const job of jobs) {
    const first = results.get(job);
    if (first === undefined || !runsAgain(job)) continue;
    const result = signal?.aborted ? first : await retry(job, first);
    results.set(job, result);
    emit({ type: "gate-end", result });
  }
  await Promise.all(reviews.filter((job) => !results.has(job)).map(startAfterChecks));
  return jobs.flatMap((job) => results.get(job) ?? []);
}

/** Returns the checks that have to pass before a review starts. */
function checksBefore({ gate, entryPoint }: Job, jobs: readonly Job[]): readonly Job[] {
  if (gate.kind === "check" || gate.after === "alongside") return [];
  return jobs.filter((other) => other.gate.kind === "check" && other.entryPoint === entryPoint);
}

/** Returns the result of a review that did not start. It is the agent's to fix only if one of the checks is. */
function notStartedAfter(job: Job, checks: readonly GateResult[]): GateResult {
  const message = `Not started because ${checks.map(({ jobId }) => jobId).join(", ")} did not pass; a review starts after the checks of its entry point (after: checks)`;
  const outcomes = checks.map(({ outcome }) => outcome);
  if (outcomes.includes("cancelled")) return notRun(job, "cancelled", message);
  return checks.every(({ unreachable }) => unreachable === true)
    ? { ...notRun(job, "error", message), unreachable: true }
    : notRun(job, "skipped", message);
}

async function run(job: Job, { runJob, logPath, emit, signal }: JobsContext): Promise<GateResult> {
  emit({ type: "gate-start", job, logPath: logPath(job) });
  try {
    const result = await runJob(job);
    // The run may have been ended in one of the gate's own steps, such as a git command.
    return result.outcome === "error" && signal?.aborted === true
      ? { ...result, outcome: "cancelled" }
      : result;
  } catch (thrown) {
    return notRun(job, "error", `Could not be run: ${describeError(thrown)}`);
  }
}

/** Returns the result of a job that was not run. */
export function notRun(job: Job, outcome: GateResult["outcome"], message: string): GateResult {
  const { id: jobId, entryPoint, gate } = job;
  const { kind, name } = gate;
  return { jobId, kind, gate: name, entryPoint, outcome, durationMs: 0, message };
}

/** Returns the notice that a failed gate runs again. It is emitted while other gates run. */
function retriedLater(jobId: string, message: string | undefined): string {
  const why = message === undefined ? "failed" : `failed (${message})`;
  return `${jobId} ${why}; it runs again after the other gates`;
}

/**
 * Returns the parallel jobs in the order that is likely to show a failure first: those that failed last, then the
 * shortest. The other jobs stay in the order of the configuration.
 */
export function startOrder(
  jobs: readonly Job[],
  history: Pick<CheckHistory, "hasFailed" | "durationOf">
): Job[] {
  const ranked = jobs
    .filter(({ gate }) => gate.parallel)
    .map((job) => ({ job, failed: history.hasFailed(job.id), ms: history.durationOf(job.id) }))
    // The difference of two infinite durations is not a number, which keeps their order.
    .sort((a, b) => Number(b.failed) - Number(a.failed) || a.ms - b.ms);
  return [...ranked.map(({ job }) => job), ...jobs.filter(({ gate }) => !gate.parallel)];
}

/**
 * Returns whether a result is a failure that another run may change. A check that was too slow is not run again, nor is
 * one with a finding in a file that changed, which fails in any case.
 */
export function mayRetry(
  { gate }: Job,
  { outcome, timedOut, overLimit, findings = [] }: GateResult,
  isChanged: (file: string) => boolean
): boolean {
  const isAllowed = gate.kind === "check" && gate.retries !== undefined;
  const isSlow = timedOut === true || overLimit === true;
  const isOfChange = findingsIn(findings, isChanged).length > 0;
  return isAllowed && outcome === "failed" && !isSlow && !isOfChange;
}

/**
 * Runs a failed check again until it passes, its retries end or a failure cannot be retried. Marks a pass as flaky. If
 * a run was cancelled, returns the failure before it.
 *
 * @param runAgain runs the check; its parameter is the number of the run, from 2
 * @param isRetried whether to run the check again after a failure, except for the first one
 */
export async function retryCheck(
  first: GateResult,
  retries: number,
  runAgain: (run: number) => Promise<GateResult>,
  isRetried: (failure: GateResult) => boolean
): Promise<GateResult> {
  let failure = first;
  for (let run = 2; run <= retries + 1 && (run === 2 || isRetried(failure)); run++) {
    const result = await runAgain(run);
    if (result.outcome === "passed") return { ...result, flaky: true, runs: run };
    if (result.outcome === "known") return { ...result, runs: run };
    if (result.outcome !== "failed") return failure;
    failure = { ...result, runs: run };
  }
  return failure;
}
