/** Texts of reviews: results of slots, missing answers, and problems with the agent's edits. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

// Why a reviewer gave no answer. The texts about its exit are those of a check.

/** @param machine the name of another machine, if the project is on one */
export function noReviewer(machine: string | undefined): string {
  const hint =
    machine === undefined
      ? ""
      : `; commands on ${machine} do not read ~/.profile, so set a longer PATH in ~/.zshenv, or at the top of ~/.bashrc`;
  return `no healthy adapters: none of the configured reviewers is on the PATH; install one of them, or configure one that "${ownCommand()} health" finds${hint}`;
}

/** A warning; the next reviewer is tried. @param failure the result of {@link reviewerFailure} */
export function reviewerFailed(jobId: string, failure: string): string {
  return `${jobId} was not reviewed by ${failure}`;
}

/** @param advice the next step for the user, if it is known */
export function reviewerFailure(reviewer: string, why: string, advice?: string): string {
  return `${reviewer}: ${why}${advice === undefined ? "" : `; ${advice}`}`;
}

export function logIn(program: string): string {
  return `run "${program}" in a terminal and log in`;
}

export const WAIT_FOR_LIMIT = "wait for its limit to reset, or configure another reviewer";
export const CHECK_NETWORK = "check the network connection";

export function promptFolderNotCreated(why: string): string {
  return `Could not create a private folder for the prompt: ${why}`;
}

export function promptNotWritten(why: string): string {
  return `Could not write the prompt: ${why}`;
}

/** @param limit such as `4 MiB` */
export function outputTooLong(bytes: number, limit: string): string {
  return `Printed ${bytes} bytes, more than the limit of ${limit}`;
}

export function noAnswer(why: string): string {
  return `No answer: ${why}`;
}

/** @param line the last line of the reviewer's output */
export function withLastLine(failure: string, line: string): string {
  return `${failure} (${line})`;
}

// Why an output is not an answer.

export const NO_JSON = "the output contains no JSON answer";
export const JSON_BROKEN = "the JSON answer is invalid or incomplete";

export const QUOTED_ANSWER = "the JSON in the output is a quotation of the prompt";
export const NOT_MARKED = "the JSON answer is not alone and does not have the nonce of the prompt";
export const ENDED_IN_ERROR = "the output ends with an error";

/** @param count the number of violations without a text, beside no other violation */
export function unreadable(count: number): string {
  return `${plural(count, "violation")} of the answer cannot be read`;
}

/** @param unusable the number of violations without a text */
export function failWithoutViolation(unusable: number): string {
  const found = unusable === 0 ? "" : ` (${plural(unusable, "violation")} without one)`;
  return `the status is fail, but no violation has an "issue"${found}`;
}

// Warnings about a part of an answer.

export function withoutIssue(count: number): string {
  return `left out ${plural(count, "violation")} without an "issue"`;
}

export const PART_BROKEN = "left out a part of the answer that is not valid JSON";

// Results.

/** Appears if no slot has another message. */
export const WITHOUT_ANSWER = "no answer";

/** The number of a slot's unresolved violations. */
export function violationCount(count: number): string {
  return plural(count, "violation");
}

/** @param withoutAnswer the number of reviewers without an answer */
export function unresolvedViolations(count: number, withoutAnswer: number): string {
  const missing =
    withoutAnswer === 0 ? "" : `, ${plural(withoutAnswer, "reviewer")} without an answer`;
  return `${plural(count, "violation")} unresolved${missing}`;
}

/** The message of a slot that did not review again. */
export function unchangedViolations(count: number): string {
  return `${unresolvedViolations(count, 0)}; no file has changed since the last review`;
}

export const NOTHING_TO_REVIEW = "no changes to review";

export function verifiedFixes(count: number): string {
  return `${count} fixed`;
}

/** @param count the number of violations that are marked as fixed */
export function unconfirmedFixes(count: number): string {
  return `${plural(count, "violation")} marked as fixed, but not confirmed: no line at its place has changed, and the reviewer did not confirm the fix`;
}

/** Appears after the priority of a violation. */
export const OUTSIDE = "outside of the change";

export function outsideChange(count: number): string {
  return `left out ${plural(count, "violation")} outside of the change`;
}

/** A violation that does not count, for the user. @param why one of the two texts above or below */
export function leftOutViolation(where: string, priority: string, why: string): string {
  return `left out: ${where} (${priority}, ${why})`;
}

export function moreLeftOut(count: number): string {
  return `left out ${plural(count, "further violation")}; "rawOutput" in the JSON of the review has them`;
}

export const BELOW_THRESHOLD = "new and below rerun_new_issue_threshold";

export function belowThreshold(count: number): string {
  return `left out ${plural(count, "new violation")} with a priority below rerun_new_issue_threshold`;
}

// The log of a slot.

/** @param shown how much of the file was shown, such as `whole` */
export function shownInLog(shown: string, path: string): string {
  return `Shown to the reviewer (${shown}): ${path}`;
}

export function outcomeInLog(outcome: string, why: string | undefined): string {
  return `Outcome: ${outcome}${why === undefined ? "" : `: ${why}`}`;
}

// The JSON file of a slot, and the agent's edits in it.

export function notJson(why: string): string {
  return `it is not valid JSON: ${why}`;
}

export const NOT_OBJECT = "it is not a JSON object";
export const VIOLATIONS_NOT_LIST = 'its "violations" is not a list';
export const FILE_MISSING = "the file no longer exists";

/** @param hadViolations whether the file contained violations */
export function fileUnusable(path: string, why: string, hadViolations: boolean): string {
  return `${path}: ${why}${hadViolations ? "; its violations are still unresolved" : ""}`;
}

/** @param problem one of the predicates below */
export function editProblem(path: string, id: string, place: string, problem: string): string {
  return `${path}: violation ${id} (${place}) ${problem}`;
}

export const REMOVED =
  'was removed from the file and is still unresolved; put it back and set its "status"';

export function changedKeys(keys: readonly string[]): string {
  return `has changes in ${keys.join(", ")}, which are ignored; edit only "status" and "result"`;
}

/** @param found the status as JSON, or undefined if it is missing */
export function invalidStatus(found: string | undefined): string {
  const status = found === undefined ? "no status" : `the status ${found}`;
  return `has ${status} and is still unresolved; set it to "fixed" or "skipped"`;
}

export const SKIPPED_WITHOUT_REASON =
  'is skipped without a reason of at least three words and is still unresolved; write the reason in its "result"';

export const FIXED_WITHOUT_CHANGE =
  "is marked as fixed, but no file has changed since it was reviewed; it is still unresolved: fix it, or skip it with a reason";

export function addedViolations(path: string, count: number): string {
  return `${path}: ignored ${plural(count, "violation")} that the reviewer did not report`;
}

/** A violation that does not count any longer, for the user. */
export function skippedBecause(issue: string, reason: string): string {
  return `skipped: ${issue} (reason: ${reason})`;
}

export function moreSkipped(count: number): string {
  return `skipped ${plural(count, "further violation")}; the console log of the run has them`;
}

// Skipping a violation with a command.

export function ambiguousId(id: string): string {
  return `"${id}" matches several violations; use a longer ID`;
}

/** @param unresolved the IDs of the unresolved violations */
export function noSuchViolation(id: string, unresolved: readonly string[]): string {
  const known =
    unresolved.length === 0 ? "none is unresolved" : `unresolved are: ${unresolved.join(", ")}`;
  return `no violation has the ID "${id}"; ${known}`;
}

export const NO_RESULT_FILE = "its review has no result file; run the gauntlet again";

export function notInFile(path: string): string {
  return `${path} no longer contains it; run the gauntlet, which writes the file again`;
}
