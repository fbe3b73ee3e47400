/** The message of each status (G25). Code that returns before a run loads this file, so it has few other texts. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

export const ALL_PASSED = "all gates passed";
export const NO_GATES_MATCH = "no gates match the changed files";
export const NO_CHANGES = "no changes";
export const NO_CONFIG = "not a gauntlet-enabled project: there is no .gauntlet/config.yml";
export const STOP_HOOK_ACTIVE =
  "allowed to prevent an infinite loop: a Stop hook is already active, so this stop was not checked";
export const TOO_RECENT =
  "no gate was run, because the minimum time between two runs has not passed";
export const POSTPONED = "postponed: the agent waits for agents in the background";
export const INVALID_INPUT =
  'the input could not be parsed: the standard input of "agent-gauntlet stop-hook" must be one JSON object';

export function startOver(): string {
  return `to start over, send a new message or run "${ownCommand()} clean"`;
}

/** The last line of a message to the user that has more of them. */
export function moreNotes(count: number): string {
  return `and ${plural(count, "note")}: ${ownCommand()} status`;
}

/** Appended to the message of a status. */
export function withoutFiles(gates: number): string {
  return `, ${plural(gates, "gate")} had no files`;
}

/** @param counts skipped violations, flaky checks, files that were fixed, and known failures */
export function passedWithWarnings({
  skipped,
  flaky,
  fixed,
  known,
}: {
  readonly skipped: number;
  readonly flaky: number;
  readonly fixed: number;
  readonly known: number;
}): string {
  const parts = [
    ...(skipped === 0 ? [] : [`${plural(skipped, "issue")} skipped`]),
    ...(flaky === 0 ? [] : [plural(flaky, "flaky check")]),
    ...(fixed === 0 ? [] : [`${plural(fixed, "file")} fixed`]),
  ];
  const verdict = known === 0 ? ALL_PASSED : `no new failure, ${plural(known, "known failure")}`;
  return [verdict, ...parts].join(", ");
}

/** @param attempt the result of {@link attemptOf}, or an empty text */
export function gatesFailed(failed: readonly string[], total: number, attempt: string): string {
  return `${failed.length} of ${plural(total, "gate")} failed: ${failed.join(", ")}${attempt}`;
}

/** Appears if no gate failed in this run, but gates of an earlier one are unresolved. */
export function earlierFailures(attempt: string): string {
  return `earlier failures are not resolved${attempt}`;
}

export function attemptOf(attempt: number, maxAttempts: number): string {
  return `, attempt ${attempt} of ${maxAttempts}`;
}

/** @param unresolved the names of the unresolved gates, or an empty text */
export function retryLimitExceeded(unresolved: string): string {
  const names = unresolved === "" ? "" : `; unresolved: ${unresolved}`;
  return `retry limit exceeded, human review needed${names}; ${startOver()}`;
}

/** The message of the third failed stop on one tree (G19). */
export function unchangedAndUnverified(unresolved: string): string {
  return `not verified: no file changed since the gates failed, and the agent stopped; unresolved: ${unresolved}; ${startOver()}`;
}

export function notVerified(failure = "the run failed for an unknown reason"): string {
  return `${failure}; the changes were not verified`;
}

/** @param holder the process that holds the lock */
export function anotherRun(holder: string | undefined): string {
  return `another gauntlet is already running${holder === undefined ? "" : `: ${holder}`}; no gate was run`;
}

/** @param by the setting that disables the Stop hook */
export function turnedOffBy(by = "the configuration"): string {
  return `turned off by ${by}`;
}

export function minutesLeft(minutes: number): string {
  return `${minutes} min left`;
}

/** @param problem the first error */
export function configInvalid(problem: string | undefined): string {
  return `the configuration is invalid${problem === undefined ? "" : `: ${problem}`}`;
}
