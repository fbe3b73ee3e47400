/**
 * Executes the jobs of a plan with `scheduleJobs`, except for checks that have passed before on the same inputs (G10,
 * G11, G21). Prepares each check's command, separates its known failures (G45), runs it again if it may be flaky (G36),
 * and determines the results of gates that exceed the time limit (G27c).
 */
import { posix } from "node:path";
import { ok } from "neverthrow";
import { treeFiles } from "@/node/services/gauntlet/change/git/gitQueries";
import { completeIndex } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import {
  comparedKind,
  looksAtIndex,
} from "@/node/services/gauntlet/domain/commands/inspectedFiles";
import { isRerun } from "@/node/services/gauntlet/domain/episode";
import type { RunListener } from "@/node/services/gauntlet/domain/runResult";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import { CheckCache, checkKey } from "@/node/services/gauntlet/gates/CheckCache";
import * as checks from "@/node/services/gauntlet/gates/runCheck";
import * as jobRuns from "@/node/services/gauntlet/gates/scheduleJobs";
import { commandTexts, readScriptsIn } from "@/node/services/gauntlet/shell/scriptsAndTasks";
import * as commandInputs from "@/node/services/gauntlet/run/execute/commandInputs";
import type { ReviewLedger } from "@/node/services/gauntlet/run/execute/ReviewLedger";
import {
  endedBy,
  notStartedAgain,
  settleOverLimit,
} from "@/node/services/gauntlet/run/execute/overTimeLimit";
import type { FailureFilter } from "@/node/services/gauntlet/run/known/FailureFilter";
import { whyRejected } from "@/node/services/gauntlet/run/plan/recordOutputFiles";
import type { Plan } from "@/node/services/gauntlet/run/runContext";
import * as runFiles from "@/node/services/gauntlet/state/runFiles";

/** The values that the first call of {@link runGates} in a run and the one of the second look share. */
export interface Execution {
  readonly bases: commandInputs.BaseCommits;
  readonly reviews: ReviewLedger;
  readonly known: FailureFilter;
  readonly emit: RunListener;
}

export async function runGates(
  plan: Plan,
  { bases, reviews, known, emit }: Execution
): Promise<GateResult[]> {
  const { given, snapshot, environment, scopes } = plan;
  const { options, runtime, projectDir, config, context, logDir, now, signal, reporter } = given;
  const isAgain = isRerun(plan.before);
  const isRerunOf = (job: checks.CheckJob): boolean => isAgain && !known.needsWhole(job);
  const isChanged = ({ id }: Job, file: string): boolean =>
    scopes.get(id)?.changed.has(file) === true;
  const logPath = (job: Job, retry?: number): string =>
    posix.join(logDir, runFiles.checkLogName(job, plan.run, retry));
  const cache = await CheckCache.open(runtime, posix.join(logDir, runFiles.CHECK_CACHE_FILE));
  const scripts = readScriptsIn(runtime, projectDir);
  // The files of the snapshot are listed only if a check names its inputs.
  const namesInputs = plan.jobs.some(
    (job) => checks.isCheckJob(job) && job.gate.inputs !== undefined
  );
  const listed = namesInputs ? await treeFiles(runtime, context, snapshot) : ok([]);
  const files = listed.unwrapOr([]);
  const usesCache = options.useCache !== false && options.all !== true && options.force !== true;

  const runJob = async (job: Job): Promise<GateResult> => {
    if (!checks.isCheckJob(job)) return await reviews.run(job, plan, emit);
    const rejection = whyRejected(job.gate, plan.rejected);
    if (rejection !== undefined) return jobRuns.notRun(job, "error", rejection);
    const late = notStartedAgain(job, options, plan.state);
    if (late !== undefined) return late;
    const found = await commandInputs.inputsOf(plan, job, bases, isRerunOf(job));
    if (found.isErr()) return jobRuns.notRun(job, "error", found.error);
    const material = found.value;
    if (material.notice !== undefined) reporter.warn(material.notice);
    const key = checkKey(material.job, {
      ...{ rerun: isRerunOf(material.job), head: context.head, treeId: snapshot, files },
      ...{ environment, env: commandInputs.baseVariables(material.base), passed: material.files },
      base: context.baseCommit,
    });
    // A file that git ignores may have made an unresolved check fail, so only a run shows that it passes (G21).
    const isUnresolved = plan.before.unresolved.includes(job.id);
    const cachedSince =
      key !== undefined && !isUnresolved && usesCache ? cache.get(key) : undefined;
    if (cachedSince !== undefined) {
      const { message: _, ...cached } = jobRuns.notRun(job, "passed", "");
      return { ...cached, cachedSince };
    }
    const result = verified(await runOnce(job, material), material.unverified);
    if (result.findingsProblem !== undefined) {
      reporter.warn(`${job.id}: its findings are incomplete: ${result.findingsProblem}`);
    }
    if (key !== undefined) cache.put(key, result, now());
    return result;
  };
  const runOnce = async (
    job: checks.CheckJob,
    { job: seen, files: passed, base }: commandInputs.CommandInputs,
    part?: number
  ): Promise<GateResult> => {
    const command = checks.commandOf(seen.gate, isRerunOf(job));
    const folder = job.gate.workingDirectory ?? job.entryPoint;
    const texts = await commandTexts(command, folder, scripts);
    const made = texts.some(looksAtIndex) ? await completeIndex(runtime, context) : ok(undefined);
    if (made.isErr()) return jobRuns.notRun(job, "error", made.error.message);
    const index = made.value;
    const run = await checks.runCheck(runtime, seen, {
      ...{ projectDir, rerun: isRerunOf(job), files: passed, base, now, signal },
      env: { ...commandInputs.baseVariables(base), ...(index && { GIT_INDEX_FILE: index.path }) },
      logPath: logPath(job, part),
      findingsPath: posix.join(logDir, runFiles.findingsName(job, plan.run)),
      isChanged: (file) => isChanged(job, file),
    });
    await index?.remove();
    const isRerunCommand = isRerunOf(job) && seen.gate.rerunCommand !== undefined;
    const isPart = passed !== undefined || comparedKind(command) !== undefined;
    const isWhole = !isPart && !isRerunCommand && options.shard === undefined;
    return await known.settle(job, run, isWhole);
  };

  const mayRetry = (job: Job, result: GateResult): boolean =>
    jobRuns.mayRetry(job, result, (file) => isChanged(job, file));
  const order = config.allowParallel ? jobRuns.startOrder(plan.jobs, cache.history) : plan.jobs;
  const started = await jobRuns.scheduleJobs(order, {
    allowParallel: config.allowParallel,
    maxParallel: config.maxParallel,
    ...{ runJob, logPath, emit, signal },
    settle: (job, result) => {
      const isOver = result.outcome === "cancelled" && endedBy(options, signal) === "limit";
      return isOver ? settleOverLimit(job, result, options.limitMs ?? 0, cache.history) : result;
    },
    mayRetry: (job, result) => known.again.has(job.id) || mayRetry(job, result),
    retry: async (job, first) => {
      if (!checks.isCheckJob(job)) return first;
      const material = await commandInputs.inputsOf(plan, job, bases, isRerunOf(job));
      if (material.isErr()) return first;
      const retries = known.again.has(job.id) ? 1 : (job.gate.retries ?? 0);
      const runAgain = (part: number) => runOnce(job, material.value, part);
      const isRetried = (failure: GateResult): boolean => mayRetry(job, failure);
      const last = await jobRuns.retryCheck(first, retries, runAgain, isRetried);
      return verified(last, material.value.unverified);
    },
  });
  const byJob = new Map(started.map((result) => [result.jobId, result]));
  const results = plan.jobs.flatMap(({ id }) => byJob.get(id) ?? []);
  for (const result of results) cache.history.add(result, snapshot);
  // If the cache cannot be saved, the next run is slower but equally correct.
  await cache.save();
  return results;
}

/** Returns the result of a check. A pass that verifies nothing does not count (G33). */
function verified(result: GateResult, message: string | undefined): GateResult {
  if (message === undefined || result.outcome !== "passed") return result;
  return { ...result, outcome: "error", unreachable: true, isUnseen: true, message };
}
