/** Texts of a run: its notices, caveats and failures. */
import { ownCommand } from "@/common/ownCommand";
import { visible } from "@/common/text";

export function firstLook(): string {
  return `nothing to compare with: commits from before the first run of the gauntlet here were not checked; to check all files, run "${ownCommand()} run --all"`;
}

export const START_UNREADABLE =
  "the record of the starting commit could not be read, so all files of the project were compared";

export const INTERRUPTED = "the run was interrupted";

export function runTimedOut(seconds: number): string {
  return `the run took longer than its limit of ${seconds} s`;
}

/** The message of a gate that was running when the time of the Stop hook ended (G27c). */
export function gateOverLimit(seconds: number): string {
  return `did not end within ${seconds} s, the time the Stop hook has`;
}

/** The same for a gate that was waiting. */
export function gateNotReached(seconds: number): string {
  return `was not reached within ${seconds} s, the time the Stop hook has`;
}

/** The same for a check that hangs. */
export function gateHangs(seconds: number, usual: number): string {
  return `${gateOverLimit(seconds)}; it usually ends within ${usual} s`;
}

/** The message of a check that reached the limit at the last two stops. */
export function gateNotStarted(seconds: number): string {
  return `was not started, because it did not end within ${seconds} s at the last two stops`;
}

/** @param seconds a limit that is high enough for most suites */
export function adviceOnLimit(seconds: number): string {
  const command = ownCommand();
  return `to check the changes, run "${command} run"; to give the Stop hook more time, run "${command} init --limit ${seconds}"`;
}

/** The git folder cannot be written, as in the sandbox of an agent. */
export function notRecorded(gitDir: string): string {
  return `this result is not recorded, because ${gitDir} cannot be written; the next stop runs the gates again`;
}

export function logDirNotUsable(path: string, why: string): string {
  return `the log folder cannot be used: ${path}: ${why}`;
}

export const ONLY_EXAMPLE =
  'nothing of this project was verified: .gauntlet/ has only the example check "conflict-markers"; add its tests and linters';

/** @param unresolved the IDs of the unresolved gates */
export function stateRestored(logDir: string, unresolved: readonly string[]): string {
  return `the record of the last run is missing in ${logDir}; the copy in the git folder is used, with these unresolved gates: ${unresolved.join(", ")}`;
}

export function lockTakenOver(path: string): string {
  return `took over ${path}, the lock of a run that no longer exists`;
}

/** @param holder the process that holds the lock */
export function lockHeld(holder: string, path: string): string {
  return `${holder}; its lock is ${path}`;
}

/** The message of the gate `config` (G20a). */
export const CONFIG_BROKEN =
  "the gauntlet's configuration became invalid after this turn began; fix it";

/** The notice of a clean after a change of branch (G18). */
export function branchChanged(before: string, now: string): string {
  return `Auto-clean: branch changed (${before} → ${now})`;
}

/** The notice of a clean after a merge (G18). */
export function commitMerged(base: string): string {
  return `Auto-clean: commit merged into ${base}`;
}

/** @param kind `check`, `review` or `gate` */
export function noSuchGate(kind: string, name: string, known: readonly string[]): string {
  const names = known.length === 0 ? "none" : known.join(", ");
  return `there is no ${kind} named "${name}"; defined are: ${names}`;
}

/** The message of an unresolved gate whose folder or definition no longer exists (G18a). */
export const NO_LONGER_APPLIES =
  "was failing and no longer applies; its folder or its definition no longer exists: restore it, and fix the failure";

/** A warning about an unresolved gate of an earlier turn or another branch (G18a). */
export function dormantGate(id: string, branch: string | undefined): string {
  const on = branch === undefined ? "" : ` on branch ${branch}`;
  return `${id} was failing${on} and no longer applies (its folder or its definition does not exist here), so it was not run; to discard this failure, run "${ownCommand()} clean"`;
}

/** A warning about a gate that is unresolved on a branch that is not checked out (G18a). */
export function failedElsewhere(id: string, branch: string): string {
  return `${id} failed on branch ${branch} and has not passed there since; to check it, run "${ownCommand()} run" on that branch`;
}

/** A warning about a check that is resolved although it did not run (G32). */
export function rejectedGone(id: string, files: readonly string[], rest: number): string {
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `${id} was not run again, because no file is left of those that it rejected (${files.join(", ")}${more}); if their content is in other files now, check these`;
}

export function gateRemoved(id: string, definition: string): string {
  return `${id} was removed from the configuration; it was: ${definition}`;
}

export function gateChanged(id: string, before: string, now: string): string {
  return `${id} was changed in the configuration; it was: ${before}; it is now: ${now}`;
}

/**
 * @param before absent: it was not defined
 * @param now absent: it is not defined
 */
export function scriptChanged(
  jobId: string,
  script: string,
  before: string | undefined,
  now: string | undefined
): string {
  const text = (one: string | undefined): string =>
    one === undefined ? "not defined" : `\`${one}\``;
  return `the script ${script} behind ${jobId} changed in this turn: ${text(before)} → ${text(now)}`;
}

export function moreScripts(count: number): string {
  return `and ${count} more ${count === 1 ? "script" : "scripts"}`;
}

export function nestedChanges(repository: string): string {
  return `the nested repository ${repository} has uncommitted changes, which were not checked; commit them in that repository, or check it separately`;
}

/** A caveat of a pass: files changed while the checks ran, and again while they ran once more (G20c). */
const UNSTABLE =
  "files changed again while the checks ran, so the current files were not verified; run the gauntlet again when they no longer change";

/**
 * A caveat of a pass: why it does not apply to the current files.
 *
 * @param files the number of files that changed, if the time was too short to run the checks once more
 * @param at when the checks had ended
 */
export function whyUnstable(files: number | undefined, at: Date): string {
  if (files === undefined) return UNSTABLE;
  const time = at.toTimeString().slice(0, 8);
  return `verified at ${time}; ${files === 1 ? "1 file has" : `${files} files have`} changed since, which the next stop checks`;
}

export function unstableFiles(files: readonly string[]): string {
  return `files that changed while the checks ran: ${files.join(", ")}`;
}

/** @param rest the number of files that are not named */
export function filesTooLarge(names: readonly string[], rest: number): string {
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `files that no reviewer saw in full, because of their size or a NUL byte: ${names.join(", ")}${more}`;
}

const MAX_NAMED = 5;

/** The rest of a sentence about the first gate that had no result. */
export function alsoWithoutResult(jobIds: readonly string[]): string {
  if (jobIds.length === 0) return "";
  const shown = jobIds.slice(0, MAX_NAMED).map((id) => visible(id));
  const more = jobIds.length > shown.length ? ` and ${jobIds.length - shown.length} more` : "";
  return `; nor is there a result of ${shown.join(", ")}${more}`;
}
