/** Texts about git, the changed files and the diff of a review. */
import { plural } from "@/common/text";

// Calls of git. `name` is the command: `git diff-tree`.

export function commandInterrupted(name: string): string {
  return `${name} was interrupted`;
}

// The repository and its base.

export function baseReplaced(missing: string, used: string): string {
  return baseMissing(missing, `so the changes are compared with ${used}`);
}

export function baseNotFound(missing: string): string {
  return baseMissing(
    missing,
    "and there is no main or master, so the changes are compared with the starting commit, at which the gauntlet was first used here"
  );
}

function baseMissing(missing: string, consequence: string): string {
  return `the base branch ${missing} does not exist in this clone, ${consequence}; set base_branch in .gauntlet/config.yml, or fetch ${missing}`;
}

// The diff for a reviewer. Reviewers and the log receive these texts.

/** Replaces the middle of a text. */
export function charactersLeftOut(count: number): string {
  return `[… ${plural(count, "character")} left out …]`;
}
