/** Runs the jobs of a plan, except for checks that have passed before on the same inputs (G10, G11, G21). */
import { posix } from "node:path";
import { treeFiles } from "@/node/services/gauntlet/change/snapshot/listTree";
import { isRerun } from "@/node/services/gauntlet/domain/episode";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import { CheckCache } from "@/node/services/gauntlet/gates/CheckCache";
import { checkKey } from "@/node/services/gauntlet/gates/checkKey";
import { isCheckJob, runCheck, type CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import { runJobs } from "@/node/services/gauntlet/gates/runJobs";
import { findingsIncomplete } from "@/node/services/gauntlet/messages/findings";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import { LimitFailures } from "@/node/services/gauntlet/run/LimitFailures";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import type { ReviewRuns } from "@/node/services/gauntlet/run/ReviewRuns";
import {
  CHECK_CACHE_FILE,
  checkLogName,
  findingsName,
} from "@/node/services/gauntlet/state/runFiles";

export async function runGates(
  given: GauntletRunContext,
  plan: Plan,
  reviews: ReviewRuns,
  emit: (event: RunEvent) => void
): Promise<GateResult[]> {
  const limit = new LimitFailures(given.options, given.signal);
  const { options, config, logDir, now, signal, reporter } = given;
  const { runtime, projectDir } = options;
  const rerun = isRerun(plan.before);
  const logPath = (job: Job): string => posix.join(logDir, checkLogName(job, plan.run));
  const cache = await CheckCache.open(runtime, posix.join(logDir, CHECK_CACHE_FILE));
  const keyOf = await keyMaker(given, plan, rerun);

  const runJob = async (job: Job): Promise<GateResult> => {
    if (!isCheckJob(job)) return await reviews.run(job, plan, emit);
    const key = keyOf(job);
    const passedAt = key === undefined || !usesCache(options) ? undefined : cache.get(key);
    if (passedAt !== undefined) return cachedResult(job, passedAt);
    const result = await runCheck(runtime, job, {
      projectDir,
      rerun,
      env: {},
      logPath: logPath(job),
      findingsPath: posix.join(logDir, findingsName(job, plan.run)),
      isChanged: (file) => plan.scopes.get(job.id)?.changed.has(file) === true,
      now,
      signal,
    });
    if (result.findingsProblem !== undefined) {
      reporter.report("warning", findingsIncomplete(job.id, result.findingsProblem));
    }
    if (key !== undefined) cache.put(key, result, now());
    return result;
  };
  const results = await runJobs(plan.jobs, {
    allowParallel: config.allowParallel,
    maxParallel: config.maxParallel,
    runJob,
    logPath,
    emit: limit.watch(emit),
    settle: limit.settle,
    signal,
  });
  // If the cache cannot be saved, the next run is slower but equally correct.
  await cache.save();
  return results;
}

function usesCache({ useCache, all, force }: RunOptions): boolean {
  return useCache !== false && all !== true && force !== true;
}

/** Returns the function that computes cache keys. Lists the snapshot's files only if a check names its inputs. */
async function keyMaker(
  { options, context }: GauntletRunContext,
  { jobs, snapshot }: Plan,
  rerun: boolean
): Promise<(job: CheckJob) => string | undefined> {
  const namesInputs = jobs.some((job) => isCheckJob(job) && job.gate.inputs !== undefined);
  const listed = namesInputs ? await treeFiles(options.runtime, context, snapshot) : undefined;
  const files = listed?.unwrapOr([]) ?? [];
  const base = context.baseCommit === undefined ? {} : { base: context.baseCommit };
  return (job) => checkKey(job, { rerun, env: {}, ...base, treeId: snapshot, files });
}

function cachedResult({ id, gate, entryPoint }: CheckJob, cachedSince: string): GateResult {
  return {
    jobId: id,
    kind: gate.kind,
    gate: gate.name,
    entryPoint,
    outcome: "passed",
    durationMs: 0,
    cachedSince,
  };
}
