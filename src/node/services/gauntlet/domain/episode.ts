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

export interface RunOutcome {
  readonly results: readonly GateResult[];
  /** Whether it had every job of a plain run. */
  readonly whole: boolean;
  /** It was ended before its gates were: by a person, or at its own time limit. */
  readonly interrupted: boolean;
}

/** The episode after a run. A partial run opens what it finds broken, but closes and counts nothing (G20a). */
export function episodeAfter(
  before: Episode,
  { results, whole, interrupted }: RunOutcome
): Episode {
  const failed = results.filter(isNoPass).map(({ jobId }) => jobId);
  const passed = new Set(results.filter(({ outcome }) => outcome === "passed").map((r) => r.jobId));
  const stillOpen = before.open.filter((id) => !(whole && passed.has(id)));
  const open = [...new Set([...stillOpen, ...failed])];
  if (open.length === 0 && whole && !interrupted) return NEW_EPISODE;
  // A failure counts also where nothing had to be asked again (G19).
  const counts = whole && (results.some(isFailure) || (open.length > 0 && !interrupted));
  return { attempt: before.attempt + (counts ? 1 : 0), open };
}

/** The status of a run that had gates, given the episode after it. */
export function statusOf(
  { results, whole, interrupted }: RunOutcome,
  after: Episode,
  maxRetries: number
): GauntletStatus {
  if (results.some(isFailure) || (whole && after.open.length > 0 && !interrupted)) {
    return whole && isExhausted(after, maxRetries) ? "retry_limit_exceeded" : "failed";
  }
  return interrupted ? "infrastructure_error" : "passed";
}

/** A gate that was cancelled or never started tells nothing, and is asked again. */
function isNoPass({ outcome }: GateResult): boolean {
  return outcome !== "passed";
}
