/** Texts of the state of a run: its progress on a terminal, and `mux-stop-hooks status`. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

export const FINDING_CHANGES = "finding the changed files";

/** @param run the run of a flaky check that passed */
export function passedOnRun(run: number): string {
  return `failed, then passed on run ${run}`;
}

/** A check that ended differently for the same files, in `status`. */
export function unstableCheck(jobId: string, passed: number, failed: number): string {
  return `Flaky: ${jobId} passed ${plural(passed, "time")} and failed ${plural(failed, "time")} on the same files`;
}

export function passedAt(time: string): string {
  return `passed at ${time}`;
}

export function logAt(path: string): string {
  return `Log: ${path}`;
}

export function reviewAt(path: string): string {
  return `Review: ${path}`;
}

/** The last line of a list that is cut. @param path the file with the whole list */
export function moreFindings(count: number, path: string | undefined): string {
  return `${count} more${path === undefined ? "" : `: ${path}`}`;
}

/** The numbers of a summary, without those that are 0. */
export function gateCounts(counts: {
  readonly passed: number;
  readonly failed: number;
  readonly cached: number;
  /** Checks that have only known failures. */
  readonly known: number;
  readonly flaky: number;
  readonly withoutFiles: number;
  readonly withoutResult: number;
  readonly fixedFiles: number;
}): string {
  const parts: readonly (readonly [number, string])[] = [
    [counts.passed, `${counts.passed} passed`],
    [counts.failed, `${counts.failed} failed`],
    [counts.cached, `${counts.cached} cached`],
    [counts.known, `${counts.known} with known failures`],
    [counts.flaky, `${counts.flaky} flaky`],
    [counts.withoutFiles, `${counts.withoutFiles} without files`],
    [counts.withoutResult, `${counts.withoutResult} without a result`],
    [counts.fixedFiles, `${plural(counts.fixedFiles, "file")} fixed`],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([, text]) => text);
  return `Gates: ${shown.join(", ")}`;
}

export function timeTaken(time: string): string {
  return `Time: ${time}`;
}

/** The end of {@link timeTaken} if several gates ran. */
export function slowestGate(gate: string, time: string): string {
  return `; the slowest is ${gate} (${time})`;
}

// status

export function noRun(): string {
  return `There is no record of a run. Run "${ownCommand()} run" to check the changed files.`;
}

export function lastRun(description: string): string {
  return `Last run: ${description}`;
}

export function branchIsNow(branch: string): string {
  return `The current branch is ${branch}, so the next run moves the results of earlier runs away and starts over.`;
}

export function attemptsUsed(used: number, total: number): string {
  return `Attempts: ${used} of ${total} used`;
}

export function unresolvedGates(count: number): string {
  return count === 0 ? "No gates are unresolved." : `Unresolved: ${plural(count, "gate")}`;
}

export const UNKNOWN_STATUS = "unknown status";
export const PARTIAL = "only some of the gates";

export function gatesRun(count: number): string {
  return `${plural(count, "gate")} run`;
}

export function onBranch(branch: string): string {
  return `on branch ${branch}`;
}

/** @param age such as `2 minutes` */
export function ago(age: string): string {
  return `${age} ago`;
}

export const IN_FUTURE = "at a time in the future";

/** Marks a lasting fact that the last stop showed or counted. */
export const NOTE = "Note";

// Reviews

/** @param tokens 0 if the program does not report them */
export function reviewerCalls(name: string, count: number, tokens: number): string {
  return `${name} ${count}${tokens === 0 ? "" : ` (${tokens.toLocaleString("en-US")} tokens)`}`;
}

export function callsOnBranch(parts: readonly string[]): string {
  return `Calls of reviewers on this branch: ${parts.join(", ")}`;
}

export function unresolvedViolations(review: string, count: number): string {
  return `${review}: ${plural(count, "unresolved violation")}`;
}

/** Marks a violation that the agent has marked as fixed. */
export const CLAIMED_FIXED = "(marked as fixed, not verified yet)";

export function fixedViolation(violation: string): string {
  return `✓ Fixed: ${violation}`;
}

export function skippedViolation(violation: string): string {
  return `⊘ Skipped: ${violation}`;
}

export function reasonOf(text: string): string {
  return `Reason: ${text}`;
}
