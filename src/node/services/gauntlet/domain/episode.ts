/** An episode: from the first run after a pass, a clean or a change of context, up to the retry limit (G19, G19a). */
import { isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

/** What of an episode lives on between runs. */
export interface Episode {
  /** Whole runs of it that ended as failed. */
  readonly attempt: number;
  /** IDs of jobs whose last run in the episode was no pass. */
  readonly open: readonly string[];
}

export const NEW_EPISODE: Episode = { attempt: 0, open: [] };

/** Whether the episode has used up its runs, so that nothing runs any more. */
export function isExhausted({ attempt }: Episode, maxRetries: number): boolean {
  return attempt > maxRetries;
}

/** Whether it has had a run that did not pass, so that checks use their `rerun_command` (G4). */
export function isRerun({ attempt, open }: Episode): boolean {
  return attempt > 0 || open.length > 0;
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
  const stillOpen = before.open.filter((id) => !(whole && passed.has(id)));
  const open = [...new Set([...stillOpen, ...notPassed])];
  if (open.length === 0 && whole && ended === undefined) return NEW_EPISODE;
  // A failure counts also where nothing had to be asked again (G19), but not where a person ended the run (G28).
  const failed = isWrong({ results, ended }, open);
  const counts = whole && failed && ended !== "person";
  return { attempt: before.attempt + (counts ? 1 : 0), open };
}

/** With what is open of gates that did not run here, and so is for another run to settle. */
export function keepOpen(after: Episode, before: Episode, open: readonly string[]): Episode {
  if (open.length === 0) return after;
  const attempt = Math.max(after.attempt, before.attempt);
  return { attempt, open: [...new Set([...after.open, ...open])] };
}

/** The status of a run that had gates, given the episode after it. */
export function statusOf(
  { results, whole, ended }: RunOutcome,
  after: Episode,
  maxRetries: number
): GauntletStatus {
  if (ended === "person") return "infrastructure_error";
  if (isWrong({ results, ended }, whole ? after.open : [])) {
    return whole && isExhausted(after, maxRetries) ? "retry_limit_exceeded" : "failed";
  }
  const isDone = ended === undefined && !results.some(isFailure);
  return isDone ? "passed" : "infrastructure_error";
}

/** Whether something is wrong that an agent could mend; a gate that nobody could ask is not (G13). */
function isWrong({ results, ended }: Omit<RunOutcome, "whole">, open: readonly string[]): boolean {
  const failures = results.filter(isFailure);
  const outOfReach = new Set(
    failures.filter(({ unreachable }) => unreachable === true).map(({ jobId }) => jobId)
  );
  if (failures.some(({ jobId }) => !outOfReach.has(jobId))) return true;
  return ended === undefined && open.some((id) => !outOfReach.has(id));
}

/** A gate that was cancelled or never started tells nothing, and is asked again. */
function isNoPass({ outcome }: GateResult): boolean {
  return outcome !== "passed";
}
