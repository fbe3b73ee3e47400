/**
 * Executes a plan: reports gates that fail without running (an invalid configuration, gates that are gone), runs the
 * others, and, before a pass is recorded, runs the checks again that read files which changed meanwhile (G20a, G20c).
 * Also warns of changed scripts behind the checks (G20d), and adds the files that fixes changed to the results (G35).
 */
import { posix } from "node:path";
import type { RunEvent } from "@/node/services/gauntlet/domain/runResult";
import { isDueFor, readsFile } from "@/node/services/gauntlet/domain/relevantFiles";
import { isFailure, type GateResult, type Job } from "@/node/services/gauntlet/domain/gate";
import { CONFIG_BROKEN } from "@/node/services/gauntlet/messages/shared";
import { configFailure } from "@/node/services/gauntlet/run/createResult";
import { BaseCommits } from "@/node/services/gauntlet/run/execute/commandInputs";
import { ReviewLedger } from "@/node/services/gauntlet/run/execute/ReviewLedger";
import { runGates, type Execution } from "@/node/services/gauntlet/run/execute/runGates";
import { lookAgain, type CheckedTree } from "@/node/services/gauntlet/run/execute/changedDuringRun";
import { endedBy } from "@/node/services/gauntlet/run/execute/overTimeLimit";
import { FailureFilter } from "@/node/services/gauntlet/run/known/FailureFilter";
import { RunLog } from "@/node/services/gauntlet/run/logs/RunLog";
import { goneGates } from "@/node/services/gauntlet/run/plan/gatesWithoutJob";
import { describeChangedScripts } from "@/node/services/gauntlet/run/plan/gateChangeNotes";
import type { JobScope } from "@/node/services/gauntlet/run/plan/selectJobs";
import type { GauntletRunContext, Plan } from "@/node/services/gauntlet/run/runContext";
import { CLOSING_MS, isDefaultRun } from "@/node/services/gauntlet/run/runOptions";
import { checkLogName, nextRunNumber } from "@/node/services/gauntlet/state/runFiles";

/** The results of a plan. */
export interface Executed extends Omit<Execution, "emit"> {
  readonly plan: Plan;
  readonly log: RunLog;
  /** Those of the plan's jobs, and those of gates that fail before any job runs. */
  readonly gates: readonly GateResult[];
  readonly looked: CheckedTree;
  /** By job, what it was compared with, in the last look at the tree. */
  readonly scopes: Plan["scopes"];
  /** Describes the scripts behind checks that changed in the user's turn (G20d). */
  readonly scripts: readonly string[];
  /** Who ended the run before its gates finished. */
  readonly ended: ReturnType<typeof endedBy>;
  /** When the gates had run, before the second look at the tree. */
  readonly checkedAt: Date;
}

export async function executePlan(plan: Plan): Promise<Executed> {
  const { given, state, jobs } = plan;
  const { runtime, options, logDir, signal, reporter } = given;
  const log = new RunLog(runtime, logDir, plan.run);
  for (const notice of reporter.notices) log.onEvent(notice);
  const emit = (event: RunEvent): void => {
    log.onEvent(event);
    reporter.emit(event);
  };
  emit({ type: "plan", jobs });
  const scripts = await describeChangedScripts(given, jobs);
  reporter.weaken(...scripts);
  const execution: Execution = {
    bases: new BaseCommits(runtime, given.context),
    reviews: new ReviewLedger(given, state),
    known: new FailureFilter(given, state, plan),
    emit,
  };
  const failedEarly = [
    ...(await brokenConfig(plan)),
    ...(await goneGates(runtime, logDir, plan.gone.blocking)),
  ];
  for (const result of failedEarly) emit({ type: "gate-end", result });
  const first = await runGates(plan, execution);
  const endedBefore = endedBy(options, signal);
  const checkedAt = given.now();
  const scopes = new Map(plan.scopes);
  const hasFailed = [...failedEarly, ...first].some(isFailure);
  const looked = await secondLook(plan, execution, first, hasFailed, scopes);
  const endedNow = endedBy(options, signal);
  // The results before the second look are complete.
  const ended = looked.unstable !== undefined && endedNow === "limit" ? endedBefore : endedNow;
  const gates = [...failedEarly, ...looked.gates].map((gate) => withFixes(gate, plan));
  return { ...execution, plan, log, gates, looked, scopes, scripts, ended, checkedAt };
}

/** Returns the failed gate of a configuration that became invalid, whose log has the problems (G20a). */
async function brokenConfig({ given, run }: Plan): Promise<GateResult[]> {
  const { configProblem } = given.options;
  if (configProblem === undefined) return [];
  const gate = configFailure(CONFIG_BROKEN);
  const logPath = posix.join(given.logDir, checkLogName({ logName: gate.gate }, run));
  const written = await given.runtime.writeFile(logPath, `${configProblem}\n`);
  return [written.isOk() ? { ...gate, logPath } : gate];
}

/**
 * Looks at the working tree again, but only if a pass would be recorded for it (G20c).
 *
 * @param scopes by job; receives the scopes of the second look
 */
async function secondLook(
  plan: Plan,
  execution: Execution,
  first: readonly GateResult[],
  hasFailed: boolean,
  scopes: Map<string, JobScope>
): Promise<CheckedTree> {
  const { given, state } = plan;
  const { runtime, options, env, logDir, signal } = given;
  const looked = { gates: first, jobs: plan.jobs, snapshot: plan.snapshot };
  const isOver = endedBy(options, signal) !== undefined;
  if (!isDefaultRun(options, env) || isOver || hasFailed || plan.jobs.length === 0) return looked;
  return await lookAgain(closing(given), state, looked, async (snapshot, changed) => {
    const selection = await plan.select(snapshot);
    const run = await nextRunNumber(runtime, logDir);
    if (selection.isErr() || run.isErr()) return undefined;
    const { scopes: now } = selection.value;
    // A check may have another result because these files changed.
    const jobs = selection.value.jobs.filter((job) => {
      const covered = changed.filter((file) => now.get(job.id)?.covers(file) === true);
      const isCheck = job.gate.kind === "check" && isDueFor(job, covered);
      return isCheck && covered.some((file) => readsFile(job, file));
    });
    if (performance.now() + expectedMs(plan, jobs, first) > given.until) return "late";
    const again = { ...plan, run: run.value, snapshot, jobs, scopes: now };
    const gates = jobs.length === 0 ? [] : await runGates(again, execution);
    const done = gates.filter(({ overLimit }) => overLimit !== true);
    if (done.length < gates.length && !done.some(isFailure)) return "late";
    for (const [id, scope] of now) scopes.set(id, scope);
    return { jobs, gates: done };
  });
}

/** Returns how long these checks took in the first look, in milliseconds. */
function expectedMs({ given }: Plan, jobs: readonly Job[], first: readonly GateResult[]): number {
  let inLane = 0;
  let longest = 0;
  for (const { id, gate } of jobs) {
    const ms = first.find(({ jobId }) => jobId === id)?.durationMs ?? 0;
    if (gate.parallel && given.config.allowParallel) longest = Math.max(longest, ms);
    else inLane += ms;
  }
  return Math.max(inLane, longest);
}

/** Gives the git calls after the gates a time limit of their own (G27c). */
export function closing(given: GauntletRunContext): GauntletRunContext {
  const { limitMs, signal } = given.options;
  if (limitMs === undefined) return given;
  // Node 20 may collect the signal of `AbortSignal.timeout` before the time is over.
  const end = new AbortController();
  setTimeout(() => {
    end.abort();
  }, CLOSING_MS).unref();
  const either = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]);
  return { ...given, context: { ...given.context, signal: either } };
}

/** Adds the files that the fix of a gate changed and, if it failed, the command for files that the fix did not get. */
function withFixes(gate: GateResult, { fixes: { fixed, unfixed } }: Plan): GateResult {
  const command = unfixed.get(gate.jobId);
  const isUnfixed = command !== undefined && gate.outcome === "failed";
  const why = isUnfixed
    ? {
        text: "Its fix did not get the files that last changed before the user's message. If they are part of your work, this command in its folder fixes them:",
        about: [command],
      }
    : undefined;
  const { explanation = why } = gate;
  return { ...gate, explanation, fixedFiles: fixed.get(gate.jobId) };
}
