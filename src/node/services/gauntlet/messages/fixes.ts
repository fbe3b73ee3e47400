/** Texts about automatic fixes, the commands that repair the files that a check rejects (G35). */
import { ownCommand } from "@/common/ownCommand";
import { firstNames, plural, visible } from "@/common/text";

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
  return [`fixes changed ${countedFiles(files)}; "${ownCommand()} undo-fix" restores them`];
}

/**
 * Returns the warning about a fix that failed.
 *
 * @param fix the path of its log is absolute
 */
export function fixFailed(fix: {
  readonly jobId: string;
  readonly why: string;
  readonly logPath: string | undefined;
}): string {
  const { jobId, why, logPath } = fix;
  const where = logPath === undefined ? "" : `; its log is ${logPath}`;
  return `the fix of ${visible(jobId)} did not succeed: ${why}${where}`;
}
