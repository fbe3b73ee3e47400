/** An episode: from the first run after a pass, a clean or a change of context to the next of these (G19a). */
import { isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

/** What of an episode lives on between runs. */
export interface Episode {
  /** Whole runs of it that ended as failed. */
  readonly attempt: number;
  /** IDs of jobs whose last run in the episode was no pass. */
  readonly unresolved: readonly string[];
}

export const NEW_EPISODE: Episode = { attempt: 0, unresolved: [] };

/** Whether it has had a run that did not pass, so that checks use their `rerun_command` (G4). */
export function isRerun({ attempt, unresolved }: Episode): boolean {
  return attempt > 0 || unresolved.length > 0;
}

export interface RunOutcome {
  readonly results: readonly GateResult[];
  /** Whether it had every job of a plain run. */
  readonly whole: boolean;
  /** It was ended before its gates were, by whom. */
  readonly ended?: "person" | "limit" | undefined;
}

/** The episode after a run. A partial run opens what it finds broken, but closes and counts nothing (G20a). */
export function episodeAfter(before: Episode, { results, whole, ended }: RunOutcome): Episode {
  const notPassed = results.filter(isNoPass).map(({ jobId }) => jobId);
  const passed = new Set(results.filter(({ outcome }) => outcome === "passed").map((r) => r.jobId));
  const stillUnresolved = before.unresolved.filter((id) => !(whole && passed.has(id)));
  const unresolved = [...new Set([...stillUnresolved, ...notPassed])];
  if (unresolved.length === 0 && whole && ended === undefined) return NEW_EPISODE;
  // A failure counts also where nothing had to be asked again (G19), but not where a person ended the run (G28).
  const failed = isWrong({ results, ended }, unresolved);
  const counts = whole && failed && ended !== "person";
  return { attempt: before.attempt + (counts ? 1 : 0), unresolved };
}

/** With what is open of gates that did not run here, and so is for another run to settle. */
export function keepUnresolved(after: Episode, before: Episode, ids: readonly string[]): Episode {
  if (ids.length === 0) return after;
  const attempt = Math.max(after.attempt, before.attempt);
  return { attempt, unresolved: [...new Set([...after.unresolved, ...ids])] };
}

/** The failed stops of the user's turn before this one, and how many may fail (G19). Absent for a run by hand. */
export interface RetryCount {
  readonly failed: number;
  readonly maxRetries: number;
  /** Whether the stop before this one failed by the time limit alone (G27c). */
  readonly byLimit: boolean;
}

/** The status of a run that had gates, given the episode after it. A run by hand never exceeds the retry limit. */
export function statusOf(
  { results, whole, ended }: RunOutcome,
  after: Episode,
  retries?: RetryCount
): GauntletStatus {
  if (ended === "person") return "infrastructure_error";
  if (isWrong({ results, ended }, whole ? after.unresolved : [])) {
    return whole && retries !== undefined && isLastRetry(retries, results)
      ? "retry_limit_exceeded"
      : "failed";
  }
  const isDone = ended === undefined && !results.some(isFailure);
  return isDone ? "passed" : "infrastructure_error";
}

function isLastRetry(
  { failed, maxRetries, byLimit }: RetryCount,
  results: readonly GateResult[]
): boolean {
  return isExhausted(failed + 1, maxRetries) || (byLimit && failedByLimit(results));
}

/** Whether so many failed stops are all that a turn may have (G19). */
export function isExhausted(failed: number, maxRetries: number): boolean {
  return failed > maxRetries;
}

/** Whether nothing failed but what the run's time limit ended (G27c). */
export function failedByLimit(results: readonly GateResult[]): boolean {
  const failures = results.filter(isFailure);
  return failures.length > 0 && failures.every(({ overLimit }) => overLimit === true);
}

/** Whether something is wrong that an agent could mend; a gate that nobody could ask is not (G13). */
function isWrong(
  { results, ended }: Omit<RunOutcome, "whole">,
  unresolved: readonly string[]
): boolean {
  const failures = results.filter(isFailure);
  const outOfReach = new Set(
    failures.filter(({ unreachable }) => unreachable === true).map(({ jobId }) => jobId)
  );
  if (failures.some(({ jobId }) => !outOfReach.has(jobId))) return true;
  return ended === undefined && unresolved.some((id) => !outOfReach.has(id));
}

/** A gate that was cancelled or never started tells nothing, and is asked again. */
function isNoPass({ outcome }: GateResult): boolean {
  return outcome !== "passed";
}
