/** Texts about fixes: commands that repair what a check rejects (G35). */
import { ownCommand } from "@/common/ownCommand";
import { plural, visible } from "@/common/text";

const MAX_NAMED = 5;

/** @param files with control characters already made visible */
export function fixedBy(jobId: string, files: readonly string[]): string {
  return `the fix of ${jobId} changed ${plural(files.length, "file")}: ${named(files)}`;
}

/** For the user after a run. */
export function fixedFiles(files: readonly string[]): string {
  return `fixes changed ${plural(files.length, "file")}: ${named(files)}; "${ownCommand()} undo-fix" restores them`;
}

/** For the agent, which may have other content of these files in mind. */
export function fixedForAgent(files: readonly string[]): string {
  return `Before the gates ran, fixes of the project changed ${plural(files.length, "file")}: ${named(files)}. Read them again before you edit them.`;
}

export function changedOthers(jobId: string, files: readonly string[]): string {
  return `the fix of ${jobId} also changed ${plural(files.length, "file")} that it did not get: ${named(files)}`;
}

/** @param fix its log is absolute */
export function fixFailed(fix: {
  readonly jobId: string;
  readonly why: string;
  readonly logPath: string | undefined;
}): string {
  const { jobId, why, logPath } = fix;
  const where = logPath === undefined ? "" : `; its log is ${logPath}`;
  return `the fix of ${visible(jobId)} did not succeed: ${why}${where}`;
}

export function fixNotPrepared(why: string): string {
  return `no fix was run, because the files could not be prepared: ${why}`;
}

/** @param operation such as `merge` */
export function notDuring(operation: string): string {
  return `no fix was run, because a ${operation} is in progress; finish or abort it first`;
}

/** The explanation of a failed gate. The command follows. */
export const OLDER_NOT_FIXED =
  "Its fix did not get the files that last changed before the user's message. If they are part of your work, this command in its folder fixes them:";

export const NOT_IN_CI = "no fix was run, because this is a CI run";

export const NOTHING_TO_UNDO = "There is no fix to undo.";

export function undone(files: readonly string[]): string {
  return `Restored ${plural(files.length, "file")}:`;
}

export function changedSince(files: readonly string[]): string {
  return `Not restored, because ${files.length === 1 ? "it was" : "they were"} changed after the fix:`;
}

/** @param folder absolute */
export function undoneKilled(folder: string): string {
  return `A fix was interrupted, so these files may have had later edits. What they had before they were restored is in ${folder}.`;
}

export function undoFailed(why: string): string {
  return `the files could not be restored: ${why}`;
}

function named(files: readonly string[]): string {
  const shown = files.slice(0, MAX_NAMED).join(", ");
  const rest = files.length - MAX_NAMED;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
