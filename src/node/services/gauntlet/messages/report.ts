/** Texts of the plain lines that agents and scripts read (G30a). Scripts match some of them, so do not change those. */
import { START_OVER } from "@/node/services/gauntlet/messages/status";

export const RUN_IN_PROGRESS = "A gauntlet run is already in progress";
export const CHANGES_NOT_VERIFIED = "The changes were not verified.";

/** Printed before `Status: Retry limit exceeded`. */
export const RETRY_HINT = `Human review is needed: no gate runs again in this turn; ${START_OVER}.`;

/** The ends of the lines `Status: …`, by status. A status without one ends with its message. */
export const STATUS_LINES = {
  passed: "Passed",
  passed_with_warnings: "Passed with warnings",
  failed: "Failed",
  retry_limit_exceeded: "Retry limit exceeded",
  no_changes: "No changes",
  no_applicable_gates: "No applicable gates",
} as const;

/** @param time ISO 8601 */
export function passedFromCache(time: string): string {
  return `(cached, passed at ${time})`;
}

/** Marks a check that failed first. @param run the run that passed */
export function flakyOnRun(run: number): string {
  return `(flaky: failed, then passed on run ${run})`;
}

/** Marks a slot of a review that an earlier run has passed. */
export const PASSED_EARLIER = "(passed in an earlier run, not reviewed again)";

export function iteration(attempt: number): string {
  return `Iteration ${attempt}:`;
}

export function total(counts: { fixed: number; skipped: number; failed: number }): string {
  return `Total: ${counts.fixed} fixed, ${counts.skipped} skipped, ${counts.failed} failed`;
}
