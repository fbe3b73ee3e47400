/** Checks that the files of a project suggest (G29). */
import type { ProposedFix } from "@/cli/gauntlet/init/detect/fixes";

export const CHECK_KINDS = ["test", "lint", "format", "types"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

export interface Suggestion {
  readonly kind: CheckKind;
  /** Distinguishes suggestions of one kind, such as `npm` and `pytest`. */
  readonly tool: string;
  /** A shell command that runs in the entry point. */
  readonly command: string;
  /** Absent if it is not certain what would repair what the command rejects. */
  readonly repair?: ProposedFix | undefined;
  /** The program that has to exist; absent if it is the first word of the command. */
  readonly program?: string;
  /** As in `package.json has "test"`. */
  readonly reason: string;
  /** `.`, a folder, or a glob for folders. */
  readonly entryPoint: string;
  /** A folder that a glob matches; absent if the entry point is a folder. */
  readonly exampleFolder?: string;
  /**
   * `script`: the project defines the command for one language. `task`: a task runner that usually covers all
   * languages defines it. `default`: the usual command of a language. `hooks`: a manager of git hooks runs it.
   */
  readonly origin: "script" | "task" | "default" | "hooks";
}

export interface Detected {
  readonly suggestions: readonly Suggestion[];
  /** Globs of files on which every folder depends, such as lock files. Only for entry points other than `.`. */
  readonly globalDependencies?: readonly string[];
}
