/** Texts about fixes: commands that repair what a check rejects (G35). */
import { ownCommand } from "@/common/ownCommand";
import { firstNames, plural, visible } from "@/common/text";

const MAX_NAMED = 5;

/** @param files with control characters already made visible */
export function fixedBy(jobId: string, files: readonly string[]): string {
  return `the fix of ${jobId} changed ${plural(files.length, "file")}: ${firstNames(files, MAX_NAMED)}`;
}

/** Names the files that fixes changed, for the user after a run, if there are any. */
export function fixedByAll(fixed: ReadonlyMap<string, readonly string[]>): string[] {
  const files = [...new Set([...fixed.values()].flat())].map((file) => visible(file));
  return files.length === 0
    ? []
    : [
        `fixes changed ${plural(files.length, "file")}: ${firstNames(files, MAX_NAMED)}; "${ownCommand()} undo-fix" restores them`,
      ];
}

/** For the agent, which may have other content of these files in mind. */
export function fixedForAgent(files: readonly string[]): string {
  return `Before the gates ran, fixes of the project changed ${plural(files.length, "file")}: ${firstNames(files, MAX_NAMED)}. Read them again before you edit them.`;
}

export function changedOthers(jobId: string, files: readonly string[]): string {
  return `the fix of ${jobId} also changed ${plural(files.length, "file")} that it did not get: ${firstNames(files, MAX_NAMED)}`;
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
