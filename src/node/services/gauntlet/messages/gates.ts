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

/** Appears if no changed file is left for `{files}`. */
export const NO_FILES = "No files";

export function fileNotFound(file: string, why: string): string {
  return `Could not be started: ${file}: ${why}`;
}

/** A path in which bytes that are not UTF-8 are shown as �. */
export function nameNotUtf8(file: string): string {
  return `Could not be started: the name of ${file} is not UTF-8, so it cannot be passed to the command; rename the file, or exclude it with "files"`;
}

/** Appears if the commit for `{base}` could not be made. */
export function noBase(why: string): string {
  return `Could not be started: no commit to compare with: ${why}`;
}

/** A line of a check's log before each of several calls. */
export function callOf(nth: number, calls: number, files: string): string {
  return `Call ${nth} of ${calls}, with ${files}`;
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
/** @param checks the IDs of the checks that did not pass */
export function afterChecks(checks: readonly string[]): string {
  return `Not started because ${checks.join(", ")} did not pass; a review starts after the checks of its entry point (after: checks)`;
}

export function stoppedByFailFast(failed: string): string {
  return `Not started because ${failed} failed (fail_fast)`;
}
