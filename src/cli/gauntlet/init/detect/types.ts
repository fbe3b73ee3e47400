/**
 * The types of the detection of checks: a suggestion by a file of the project, a proposal for the user, a command that
 * is left out, and a table row. Also turns the rows of a table into suggestions (G29).
 */

export const CHECK_KINDS = ["test", "lint", "format", "types"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** A check that a file of the project suggests. */
export interface Suggestion {
  readonly kind: CheckKind;
  /** Distinguishes suggestions of one kind, such as `npm` and `pytest`. */
  readonly tool: string;
  /** A shell command that runs in the entry point. */
  readonly command: string;
  /** Fields for the file of the check, if they differ from the command that is tried. */
  readonly written?: WrittenFields;
  /** Absent if it is not certain what would repair what the command rejects. */
  readonly repair?: ProposedFix;
  /** The program that has to exist; absent if it is the first word of the command. */
  readonly program?: string;
  /** As in `package.json has "test"`. */
  readonly reason: string;
  /** `.`, a folder, or a glob for folders. Absent: `.`. */
  readonly entryPoint?: string;
  /** A folder that a glob matches; absent if the entry point is a folder. */
  readonly exampleFolder?: string;
  /** Globs of files on which every folder depends, such as lock files. */
  readonly globalDependencies?: readonly string[];
}

/** The fix of a formatter (G35): it changes exactly what its check rejects, and only the files that it gets. */
export interface ProposedFix {
  /** Contains `{files}`. */
  readonly fix: string;
  /** Globs of the files that the formatter knows. */
  readonly files: readonly string[];
}

/** A command that is not offered, with the reason. */
export interface LeftOut {
  readonly command: string;
  /** As in {@link Suggestion}. */
  readonly reason: string;
  readonly why: string;
}

/** Fields for the file of a check, which replace or complete its command. */
export interface WrittenFields {
  readonly command?: string;
  readonly full?: string;
  readonly reads?: "history";
  readonly when?: readonly string[];
  readonly files?: readonly string[];
}

export interface CheckProposal extends Pick<
  Suggestion,
  "kind" | "command" | "written" | "repair" | "reason"
> {
  /** The name of the gate and of its file in .gauntlet/checks. */
  readonly name: string;
  /** Replaces the command in the file of the check by one that writes a report, and sets its `findings`. */
  readonly report?: Readonly<Record<"command" | "findings", string>>;
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

/** A tool with a usual command; `file` matches a file in the root of the project that shows its use. */
export type ToolRow = readonly [kind: CheckKind, tool: string, file: RegExp, command: string];

/** Returns a suggestion for the first row of each key that has a reason. */
export function suggestRows(
  rows: readonly ToolRow[],
  keyOf: (row: ToolRow) => string,
  reasonOf: (row: ToolRow) => string | undefined
): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const row of rows) {
    const [kind, tool, , command] = row;
    const reason = found.has(keyOf(row)) ? undefined : reasonOf(row);
    if (reason !== undefined) found.set(keyOf(row), { kind, tool, command, reason });
  }
  return [...found.values()];
}
