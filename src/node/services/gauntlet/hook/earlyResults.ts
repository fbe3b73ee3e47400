/** Results that end a stop before a run (G24, G25). */
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { minutesLeft } from "@/node/services/gauntlet/messages/status";
import { createResult } from "@/node/services/gauntlet/run/createResult";

export function alreadyRunning(holder: string): RunResult {
  return createResult("lock_exists", { errorMessage: holder });
}

/**
 * Creates the result of a stop within the interval.
 *
 * @param caveat set if files changed since the last run
 */
export function tooRecent(due: Date, now: Date, caveat?: string): RunResult {
  const minutes = Math.ceil((due.getTime() - now.getTime()) / 60_000);
  return createResult("interval_not_elapsed", {
    errorMessage: minutesLeft(minutes),
    nextEligibleAt: due.toISOString(),
    caveat,
  });
}
