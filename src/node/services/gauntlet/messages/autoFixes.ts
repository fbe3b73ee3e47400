/** Texts about automatic fixes, the commands that repair the files that a check rejects (G35). */
import { shownCommand } from "@/common/ownCommandName";
import { firstNames, plural, visible } from "@/common/safeText";

const MAX_NAMED = 5;

/** Returns the number of the files and the names of some of them. */
export function countedFiles(files: readonly string[], which = ""): string {
  const names = firstNames(files.map(visible), MAX_NAMED);
  return `${plural(files.length, "file")}${which}: ${names}`;
}

/** Names the files that fixes changed, for the user after a run, if there are any. */
export function fixedByAll(fixed: ReadonlyMap<string, readonly string[]>): string[] {
  const files = [...new Set([...fixed.values()].flat())];
  if (files.length === 0) return [];
  return [`fixes changed ${countedFiles(files)}; "${shownCommand()} undo-fix" restores them`];
}

/** A fix that did not succeed, and the absolute path of its log. */
export interface FailedFix {
  readonly jobId: string;
  readonly why: string;
  readonly logPath: string | undefined;
}

/** Returns the warning about a fix that failed. */
export function fixFailed({ jobId, why, logPath }: FailedFix): string {
  const where = logPath === undefined ? "" : `; its log is ${logPath}`;
  return `the fix of ${visible(jobId)} did not succeed: ${why}${where}`;
}
