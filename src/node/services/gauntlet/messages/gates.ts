/** The messages of gates that did not pass. */

export const CANCELLED = "Cancelled";
export const CANCELLED_EARLY = "Cancelled before it started";

export function exitedWith(code: number): string {
  return `Exited with code ${code}`;
}

export function killedBy(signal: string): string {
  return `Killed by ${signal}`;
}

export function timedOut(seconds: number): string {
  return `Timed out after ${seconds} s`;
}

/** Appears if the connection was lost while a check ran. */
export function outcomeUnknown(why: string): string {
  return `The exit code is unknown: ${why}`;
}

export function notStarted(why: string): string {
  return `Could not be started: ${why}`;
}

/** Appears after an unexpected exception. */
export function notRun(why: string): string {
  return `Could not be run: ${why}`;
}

/** @param runs how often it ran, including the run that passed */
export function flaky(jobId: string, runs: number): string {
  return `${jobId} is flaky: it failed, and passed on run ${runs}`;
}

/** Appears in the log of the run while other gates run. */
export function retriedLater(jobId: string, message: string | undefined): string {
  const why = message === undefined ? "failed" : `failed (${message})`;
  return `${jobId} ${why}; it runs again after the other gates`;
}

/** Appended to the message of a check that failed. */
export function logIncomplete(why: string): string {
  return ` (its log is incomplete: ${why})`;
}

/** @param failed the ID of the job with `fail_fast` */
export function stoppedByFailFast(failed: string): string {
  return `Not started because ${failed} failed (fail_fast)`;
}
