/** Texts of a run: its notices, caveats and failures. */
import { ownCommand } from "@/common/ownCommand";
import { visible } from "@/common/text";

export const INTERRUPTED = "the run was interrupted";

/** The message of a gate that was running when the time of the Stop hook ended (G27c). */
export function gateOverLimit(seconds: number): string {
  return `did not end within ${seconds} s, the time the Stop hook has`;
}

/** The same for a check that hangs. */
export function gateHangs(seconds: number, usual: number): string {
  return `${gateOverLimit(seconds)}; it usually ends within ${usual} s`;
}

/** @param seconds a limit that is high enough for most suites */
export function adviceOnLimit(seconds: number): string {
  const command = ownCommand();
  return `to check the changes, run "${command} run"; to give the Stop hook more time, run "${command} init --limit ${seconds}"`;
}

/** @param unresolved the IDs of the unresolved gates */
export function stateRestored(logDir: string, unresolved: readonly string[]): string {
  return `the record of the last run is missing in ${logDir}; the copy in the git folder is used, with these unresolved gates: ${unresolved.join(", ")}`;
}

/** @param holder the process that holds the lock */
export function lockHeld(holder: string, path: string): string {
  return `${holder}; its lock is ${path}`;
}

/** The message of the gate `config` (G20a). */
export const CONFIG_BROKEN =
  "the gauntlet's configuration became invalid after this turn began; fix it";

/** The message of an unresolved gate whose folder or definition no longer exists (G18a). */
export const NO_LONGER_APPLIES =
  "was failing and no longer applies; its folder or its definition no longer exists: restore it, and fix the failure";

/** A warning about a check that is resolved although it did not run (G32). */
export function rejectedGone(id: string, files: readonly string[], rest: number): string {
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `${id} was not run again, because no file is left of those that it rejected (${files.join(", ")}${more}); if their content is in other files now, check these`;
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

const MAX_NAMED = 5;

/** The rest of a sentence about the first gate that had no result. */
export function alsoWithoutResult(jobIds: readonly string[]): string {
  if (jobIds.length === 0) return "";
  const shown = jobIds.slice(0, MAX_NAMED).map((id) => visible(id));
  const more = jobIds.length > shown.length ? ` and ${jobIds.length - shown.length} more` : "";
  return `; nor is there a result of ${shown.join(", ")}${more}`;
}
