/**
 * Determines whether a person or the time limit of a Stop hook ended a run, the results of gates that exceed this
 * limit or were not started, whether later stops start them again, and the user's next steps (G27c).
 */
import { shownCommand } from "@/common/ownCommandName";
import { getsBase, getsFiles } from "@/node/services/gauntlet/domain/relevantFiles";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import type { CheckHistory } from "@/node/services/gauntlet/gates/CheckCache";
import { notRun } from "@/node/services/gauntlet/gates/scheduleJobs";
import { gateHangs, gateOverLimit } from "@/node/services/gauntlet/messages/shared";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

/** A check that takes this many times its usual time hangs. */
const HANG_FACTOR = 3;
/** Stops in a row at which a check may reach the limit before stops no longer start it. */
const MAX_STARTS = 2;
/** A limit that is this many times the earlier one was raised. A smaller difference is time that the stop waited. */
const RAISED = 1.1;

/** Returns who ended a run before its gates finished, or undefined if it was not ended. */
export function endedBy(
  { signal: person }: Pick<RunOptions, "signal">,
  signal: AbortSignal | undefined
): "person" | "limit" | undefined {
  if (signal?.aborted !== true) return undefined;
  return person?.aborted === true ? "person" : "limit";
}

/**
 * Returns the result of a gate that the time limit of its run cancelled: a check that hangs has failed, and any other
 * gate is not verified.
 */
export function settleOverLimit(
  { gate }: Job,
  result: GateResult,
  limitMs: number,
  history: Pick<CheckHistory, "usualMs">
): GateResult {
  const { durationMs } = result;
  // How long a command takes that gets the changed files or their base depends on the change.
  const usualMs = getsFiles(gate) || getsBase(gate) ? Infinity : history.usualMs(result.jobId);
  // A gate that started late in the run has not shown that it hangs.
  if (durationMs >= Math.max(usualMs * HANG_FACTOR, limitMs / 2)) {
    const message = gateHangs(secondsOf(limitMs), Math.ceil(usualMs / 1000));
    return { ...result, outcome: "failed", message, overLimit: true };
  }
  const message =
    durationMs > 0
      ? gateOverLimit(secondsOf(limitMs))
      : `was not reached within ${secondsOf(limitMs)} s, the time the Stop hook has`;
  return { ...result, outcome: "error", message, overLimit: true, unreachable: true };
}

/** Returns the result of a check that a stop does not start, because it did not end at the last stops. */
export function notStartedAgain(
  job: Job,
  { stop, limitMs = Infinity }: Pick<RunOptions, "stop" | "limitMs">,
  { late = {} }: Pick<ExecutionState, "late">
): GateResult | undefined {
  const before = late[job.id];
  if (stop === undefined || before === undefined || before.stops < MAX_STARTS) return undefined;
  const isSame = before.definition === definitionOf(job.gate) && !isRaised(limitMs, before);
  if (!isSame) return undefined;
  const message = `was not started, because it did not end within ${secondsOf(before.limitMs)} s at the last two stops`;
  return { ...notRun(job, "error", message), overLimit: true, unreachable: true };
}

/** Counts for each check the stops in a row at which it did not end. A run in which it ended removes the count. */
export function lateAfter(
  { late = {} }: Pick<ExecutionState, "late">,
  { stop, limitMs = 0 }: Pick<RunOptions, "stop" | "limitMs">,
  gates: readonly GateResult[],
  jobs: readonly Job[]
): NonNullable<ExecutionState["late"]> {
  const next = new Map(Object.entries(late));
  for (const { jobId, outcome, overLimit, durationMs, cachedSince } of gates) {
    const job = jobs.find(({ id }) => id === jobId);
    if (job?.gate.kind !== "check" || durationMs === 0 || cachedSince !== undefined) continue;
    if (overLimit === true && stop !== undefined && outcome === "error") {
      const definition = definitionOf(job.gate);
      const before = next.get(jobId);
      const isAgain = before?.definition === definition && !isRaised(limitMs, before);
      next.set(
        jobId,
        isAgain ? { ...before, stops: before.stops + 1 } : { definition, limitMs, stops: 1 }
      );
    } else if (overLimit !== true && outcome !== "cancelled") next.delete(jobId);
  }
  return Object.fromEntries(next);
}

/** Returns the next steps of the user if the limit of a stop ended gates, or undefined. */
export function adviceOnLimit(
  gates: readonly GateResult[],
  { limitMs }: Pick<RunOptions, "limitMs">
): string | undefined {
  if (limitMs === undefined || !gates.some(({ overLimit }) => overLimit === true)) return undefined;
  // High enough for most suites, in hundreds of seconds: 300 s become 900 s.
  const seconds = Math.min(Math.ceil((limitMs * 3) / 100_000) * 100, 86_400);
  const command = shownCommand();
  return `to check the changes, run "${command} run"; to give the Stop hook more time, run "${command} init --limit ${seconds}"`;
}

function isRaised(limitMs: number, before: { readonly limitMs: number }): boolean {
  return limitMs > before.limitMs * RAISED;
}

function secondsOf(ms: number): number {
  return Math.round(ms / 100) / 10;
}
