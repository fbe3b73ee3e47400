/** Runs the jobs of a plan, except for checks that have passed before on the same inputs (G10, G11, G21). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { visible } from "@/common/text";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { definedOnly } from "@/common/definedOnly";
import { completeIndex } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { looksAtIndex } from "@/node/services/gauntlet/domain/commands/comparedTools";
import { treeFiles } from "@/node/services/gauntlet/change/snapshot/listTree";
import { isRerun } from "@/node/services/gauntlet/domain/episode";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import { CheckCache } from "@/node/services/gauntlet/gates/CheckCache";
import { checkKey, type CheckMaterial } from "@/node/services/gauntlet/gates/checkKey";
import {
  commandOf,
  isCheckJob,
  runCheck,
  type CheckJob,
} from "@/node/services/gauntlet/gates/runCheck";
import { mayRetry, retryCheck } from "@/node/services/gauntlet/gates/retryCheck";
import { notRun, runJobs } from "@/node/services/gauntlet/gates/runJobs";
import { startOrder } from "@/node/services/gauntlet/gates/startOrder";
import { commandTexts, readScriptsIn } from "@/node/services/gauntlet/known/namedScripts";
import { baseVariables } from "@/node/services/gauntlet/run/execute/BaseCommits";
import { whyRejected } from "@/node/services/gauntlet/run/plan/outputs";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import {
  endedBy,
  notStartedAgain,
  settleOverLimit,
} from "@/node/services/gauntlet/run/execute/timeLimit";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import type { KnownFailures } from "@/node/services/gauntlet/run/known/KnownFailures";
import type { ReviewRuns } from "@/node/services/gauntlet/run/execute/ReviewRuns";
import { seeingJob, type SeenJob } from "@/node/services/gauntlet/run/execute/wholeCheck";
import {
  CHECK_CACHE_FILE,
  checkLogName,
  findingsName,
} from "@/node/services/gauntlet/state/runFiles";

export async function runGates(
  given: GauntletRunContext,
  plan: Plan,
  { reviews, known }: { readonly reviews: ReviewRuns; readonly known: KnownFailures },
  emit: (event: RunEvent) => void
): Promise<GateResult[]> {
  const { options, config, logDir, now, signal, reporter } = given;
  const { runtime, projectDir } = options;
  const isAgain = isRerun(plan.before);
  const isRerunOf = (job: CheckJob): boolean => isAgain && !known.needsWhole(job);
  const logPath = (job: Job, retry?: number): string =>
    posix.join(logDir, checkLogName(job, plan.run, retry));
  const cache = await CheckCache.open(runtime, posix.join(logDir, CHECK_CACHE_FILE));
  const scripts = readScriptsIn(runtime, projectDir);
  const keyOf = await keyMaker(given, plan, isRerunOf);

  const runJob = async (job: Job): Promise<GateResult> => {
    if (!isCheckJob(job)) return await reviews.run(job, plan, emit);
    const rejection = whyRejected(job.gate, plan.rejected);
    if (rejection !== undefined) return notRun(job, "error", rejection);
    const late = notStartedAgain(job, options, plan);
    if (late !== undefined) return late;
    const material = await materialOf(given, plan, job, isRerunOf(job));
    if (material.isErr()) return notRun(job, "error", material.error);
    const { files, base, seen } = material.value;
    if (seen.notice !== undefined) reporter.report("warning", seen.notice);
    const env = baseVariables(base);
    const key = keyOf(seen.job, { env, ...(files === undefined ? {} : { passed: files }) });
    // A file that git ignores may have made it fail, so only a run shows that it passes (G21).
    const isUnresolved = plan.before.unresolved.includes(job.id);
    const isUsable = key !== undefined && !isUnresolved && usesCache(options);
    const passedAt = isUsable ? cache.get(key) : undefined;
    if (passedAt !== undefined) return cachedResult(job, passedAt);
    const ran = await runOnce(job, material.value);
    const result =
      seen.unverified === undefined || ran.outcome !== "passed"
        ? ran
        : unseen(ran, seen.unverified);
    if (result.findingsProblem !== undefined) {
      reporter.report(
        "warning",
        `${job.id}: its findings are incomplete: ${result.findingsProblem}`
      );
    }
    if (key !== undefined) cache.put(key, result, now());
    return result;
  };
  const runOnce = async (
    job: CheckJob,
    { files, base, seen }: Given,
    part?: number
  ): Promise<GateResult> => {
    const folder = job.gate.workingDirectory ?? job.entryPoint;
    const command = commandOf(seen.job.gate, isRerunOf(job));
    const texts = await commandTexts(command, folder, scripts);
    const made = texts.some(looksAtIndex)
      ? await completeIndex(runtime, given.context)
      : ok(undefined);
    if (made.isErr()) return notRun(job, "error", made.error.message);
    const index = made.value;
    const run = await runCheck(runtime, seen.job, {
      projectDir,
      rerun: isRerunOf(job),
      env: { ...baseVariables(base), ...(index && { GIT_INDEX_FILE: index.path }) },
      ...definedOnly({ files, base }),
      logPath: logPath(job, part),
      findingsPath: posix.join(logDir, findingsName(job, plan.run)),
      isChanged: (file) => isChanged(job, file),
      now,
      signal,
    });
    await index?.remove();
    const isRerunCommand = isRerunOf(job) && seen.job.gate.rerunCommand !== undefined;
    const isWhole = files === undefined && !isRerunCommand;
    return await known.settle(job, run, isWhole && options.shard === undefined);
  };
  const isChanged = ({ id }: Job, file: string): boolean =>
    plan.scopes.get(id)?.changed.has(file) === true;
  const retry = async (job: Job, first: GateResult): Promise<GateResult> => {
    if (!isCheckJob(job)) return first;
    const material = await materialOf(given, plan, job, isRerunOf(job));
    if (material.isErr()) return first;
    const retries = known.again.has(job.id) ? 1 : (job.gate.retries ?? 0);
    return await retryCheck(first, retries, (part) => runOnce(job, material.value, part));
  };

  const order = config.allowParallel ? startOrder(plan.jobs, cache.history) : plan.jobs;
  const started = await runJobs(order, {
    allowParallel: config.allowParallel,
    maxParallel: config.maxParallel,
    runJob,
    logPath,
    emit,
    settle: (job, result) => {
      const isOver = result.outcome === "cancelled" && endedBy(options, signal) === "limit";
      return isOver ? settleOverLimit(job, result, options.limitMs ?? 0, cache.history) : result;
    },
    mayRetry: (job, result) =>
      known.again.has(job.id) || mayRetry(job, result, (file) => isChanged(job, file)),
    retry,
    signal,
  });
  const byJob = new Map(started.map((result) => [result.jobId, result]));
  const results = plan.jobs.flatMap(({ id }) => byJob.get(id) ?? []);
  for (const result of results) cache.history.add(result, plan.snapshot);
  // If the cache cannot be saved, the next run is slower but equally correct.
  await cache.save();
  return results;
}

/** Returns a pass that does not count. */
function unseen(passed: GateResult, message: string): GateResult {
  return { ...passed, outcome: "error", unreachable: true, isUnseen: true, message };
}

function usesCache({ useCache, all, force }: RunOptions): boolean {
  return useCache !== false && all !== true && force !== true;
}

/** Returns the function that computes cache keys. Lists the snapshot's files only if a check names its inputs. */
async function keyMaker(
  { options, context }: GauntletRunContext,
  { jobs, snapshot, environment }: Plan,
  isRerunOf: (job: CheckJob) => boolean
): Promise<(job: CheckJob, given: Pick<CheckMaterial, "env" | "passed">) => string | undefined> {
  const namesInputs = jobs.some((job) => isCheckJob(job) && job.gate.inputs !== undefined);
  const listed = namesInputs ? await treeFiles(options.runtime, context, snapshot) : undefined;
  const files = listed?.unwrapOr([]) ?? [];
  const base = context.baseCommit === undefined ? {} : { base: context.baseCommit };
  return (job, given) =>
    checkKey(job, {
      ...{ rerun: isRerunOf(job), head: context.head, treeId: snapshot, files, environment },
      ...given,
      ...base,
    });
}

interface Given {
  readonly seen: SeenJob;
  readonly files?: readonly string[];
  readonly base?: string | undefined;
}

/** Returns what a command with placeholders gets, or why it cannot get it (G32, G33). */
async function materialOf(
  { options, context }: GauntletRunContext,
  { scopes, bases, snapshot }: Plan,
  job: CheckJob,
  rerun: boolean
): Promise<Result<Given, string>> {
  const { runtime, projectDir } = options;
  const scope = scopes.get(job.id);
  const found = await bases.of(job, scope);
  if (found.isErr()) return err(noBase(found.error.message));
  const seeing = await seeingJob(job, scope, found.value, { runtime, context, snapshot, rerun });
  if (seeing.isErr()) return err(noBase(seeing.error.message));
  const given = { seen: seeing.value, base: found.value?.commit };
  if (scope?.files === undefined || given.seen.isWhole === true) return ok(given);
  const files = await existingFiles(runtime, projectDir, scope.files);
  return files.map((there) => ({ ...given, files: there }));
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

/** Appears if the commit for `{base}` could not be made. */
function noBase(why: string): string {
  return `Could not be started: no commit to compare with: ${why}`;
}

/**
 * Returns the files and links that exist, in order. Fails if a name is not UTF-8, because it cannot be passed to a
 * program, and must not be left out silently.
 *
 * @param files relative to the project root, of a tree that git has made of it
 */
async function existingFiles(
  runtime: HookRuntime,
  projectDir: string,
  files: readonly string[]
): Promise<Result<string[], string>> {
  if (files.length === 0) return ok([]);
  const stats = await runtime.stat(files.map((file) => posix.join(projectDir, file)));
  const there: string[] = [];
  for (const [i, file] of files.entries()) {
    const stat = stats[i];
    if (stat?.kind === "failed")
      return err(`Could not be started: ${file}: ${stat.failure.message}`);
    const isMissing = stat?.kind === "missing" && stat.dangling !== true;
    if (isMissing && file.includes("\uFFFD"))
      return err(
        `Could not be started: the name of ${visible(file)} is not UTF-8, so it cannot be passed to the command; rename the file, or exclude it with "files"`
      );
    if (stat !== undefined && !isMissing && stat.kind !== "directory") there.push(file);
  }
  return ok(there);
}
