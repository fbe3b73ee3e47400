/** Texts about git, the changed files and the diff of a review. */
import { plural } from "@/common/text";

// Calls of git. `name` is the command: `git diff-tree`.

/** @param output git's own message */
export function gitFailed(name: string, code: number, output: string): string {
  return `${name} failed with exit code ${code}: ${output === "" ? "it printed no message" : output}`;
}

export function gitOutputTooLong(name: string, bytes: number): string {
  return `${name} printed ${bytes} bytes, which is more than can be read`;
}

/** @param machine the label of the runtime, as in the next function */
export function gitNotStarted(name: string, machine: string, why: string): string {
  return `${name} could not be started (${machine}): ${why}`;
}

export function gitLost(name: string, machine: string, why: string): string {
  return `lost the connection while ${name} was running (${machine}): ${why}`;
}

export function commandInterrupted(name: string): string {
  return `${name} was interrupted`;
}

export function gitTimedOut(name: string): string {
  return `${name} did not end within its time limit`;
}

export function gitKilled(name: string, signal: string): string {
  return `${name} was killed by ${signal}`;
}

export const DIFF_TREE_UNREADABLE =
  "git diff-tree printed an unknown format instead of a list of changed files";

export function revParseUnreadable(projectDir: string): string {
  return `git rev-parse printed an unknown format in ${projectDir}; check that git is 2.34 or later`;
}

// The repository and its base.

export function inBareRepository(dir: string): string {
  return `${dir} is in a bare repository, which has no files to check; work in a clone or a worktree of it`;
}

export function notInRepository(projectDir: string): string {
  return `${projectDir} is not in a git repository, so the changes cannot be determined; run "git init" in it, or work in a clone`;
}

/** Appears in CI only. */
export const SHALLOW_CI =
  'this is a shallow clone without the base branch, so the changes cannot be determined; fetch the history first (actions/checkout: fetch-depth: 0, elsewhere: "git fetch --unshallow")';

export function commitMissing(commit: string): string {
  return `there is no commit ${JSON.stringify(commit)} in this repository; use the ID or the name of one commit`;
}

/** @param used the full name of the ref that is used, out of several with the same short name */
export function baseAmbiguous(name: string, used: string, others: readonly string[]): string {
  const exist = others.length === 1 ? "also exists" : "also exist";
  return `the base branch ${name} is ambiguous: ${used} is used, but ${others.join(" and ")} ${exist}; delete or rename the refs that are not your base branch`;
}

export function baseReplaced(missing: string, used: string): string {
  return baseMissing(missing, `so the changes are compared with ${used}`);
}

export function baseNotFound(missing: string): string {
  return baseMissing(
    missing,
    "and there is no main or master, so the changes are compared with the starting commit, at which the gauntlet was first used here"
  );
}

/** @param name from the command line */
export function baseUnknown(name: string): string {
  return `there is no branch or commit ${JSON.stringify(name)} in this clone to compare with; fetch it, or name another one`;
}

function baseMissing(missing: string, consequence: string): string {
  return `the base branch ${missing} does not exist in this clone, ${consequence}; set base_branch in .gauntlet/config.yml, or fetch ${missing}`;
}

export function noCommonCommit(base: string): string {
  return `HEAD and ${base} share no commit in this clone, so the changes are compared with the tip of ${base}; if the clone is shallow, run "git fetch --unshallow"`;
}

export const LOG_DIR_LINE_BREAK =
  "log_dir contains a line break; use the name of a folder without one";

/** @param pattern ignores the log folder */
export function excludeNotWritable(path: string, why: string, pattern: string): string {
  return `${path} could not be written: ${why}; add ${pattern} to .gitignore instead`;
}

// Snapshots.

export function indexNotCopied(path: string, why: string): string {
  return `the git index ${path} could not be copied: ${why}`;
}

/** @param output git's own messages */
export function filesNotRead(output: string): string {
  return `some files of the working tree could not be read, so their changes are not checked: ${output}`;
}

export function nestedWithoutCommit(repository: string): string {
  return `the nested repository ${repository} has no commit, so its files are not checked; commit in it, or ignore it`;
}

// The diff for a reviewer. Reviewers and the log receive these texts.

export function noteOn(file: string, note: string): string {
  return `${file}: ${note}`;
}

export function secretsMasked(count: number): string {
  return `masked ${plural(count, "value")} that may be secret`;
}

/** Why a file is only named. */
export const NOT_SHOWN = {
  generated: "generated",
  binary: "binary",
  tooMany: "there are too many files",
  tooLarge: "the change is too large",
} as const;

export function notShown(why: string): string {
  return `not shown: ${why}`;
}

/** Replaces the diff of a file. @param previous the path before a rename */
export function diffNotShown(
  path: string,
  status: string,
  previous: string | undefined,
  why: string
): string {
  const was = previous === undefined ? "" : `, was ${previous}`;
  return `diff of ${path} (${status}${was}) ${notShown(why)}`;
}

export const MIDDLE_NOT_SHOWN = "only the beginning and the end of its diff are shown";

/** Replaces the middle of a text. */
export function charactersLeftOut(count: number): string {
  return `[… ${plural(count, "character")} left out …]`;
}

/** Appears if the packages of a workspace cannot be read, so that only `depends_on` applies. */
export function packagesUnreadable(why: string): string {
  return `The dependencies between the packages of this workspace are unknown, so a change runs only the gates of its own package: ${why}`;
}

export const NO_COMMIT_YET = "the repository has no commit yet; make the first one";

export function noCommonAncestor(commit: string): string {
  return `${commit} and HEAD have no common ancestor; fetch the complete history, or check "base_branch"`;
}
