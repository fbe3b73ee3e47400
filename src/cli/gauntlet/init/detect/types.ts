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
  /** Fields for the file of the check, if they differ from the command that is tried. */
  readonly written?: WrittenFields | undefined;
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
  /** The workflow that runs the same. */
  readonly workflow?: string | undefined;
}

/** A command that is not offered, with the reason. */
export interface LeftOut {
  readonly command: string;
  /** As in {@link Suggestion}. */
  readonly reason: string;
  readonly why: string;
}

export interface WrittenFields {
  readonly command?: string;
  readonly full?: string;
  readonly reads?: "history";
  readonly when?: readonly string[];
  readonly files?: readonly string[];
}

export interface Detected {
  readonly suggestions: readonly Suggestion[];
  /** Globs of files on which every folder depends, such as lock files. Only for entry points other than `.`. */
  readonly globalDependencies?: readonly string[];
}

export interface ProposedReport {
  /** The command of the check, with the options for its report. */
  readonly command: string;
  /** The value of `findings`. */
  readonly findings: string;
}

export interface CheckProposal extends Pick<
  Suggestion,
  "kind" | "command" | "written" | "repair" | "reason"
> {
  /** The name of the gate and of its file in .gauntlet/checks. */
  readonly name: string;
  /** Replaces the command in the file of the check. */
  readonly report?: ProposedReport | undefined;
  /** The program that has to exist for the command. */
  readonly program: string;
  /** A comment for its file. */
  readonly note?: string;
  /** In configured order, without duplicates. */
  readonly entryPoints: readonly string[];
  /** The folder in which the command is tried. */
  readonly folder: string;
  /** Whether it is selected unless the user decides otherwise. */
  readonly isPreselected: boolean;
}
