/**
 * Problems in configuration files (H5): their types and severities, and functions that create, format and count them.
 */
import { visible, plural } from "@/common/safeText";

/**
 * Severity levels, the highest first. `error`: the invalid part is skipped, and a gauntlet does not run. `warning`: the
 * file is used, for example with a default in place of an invalid value. `notice`: information only.
 */
export type Severity = "error" | "warning" | "notice";
export const SEVERITIES: readonly Severity[] = ["error", "warning", "notice"];

/** A message about one position in one file (H5). */
export interface Diagnostic {
  severity: Severity;
  file: string;
  /** Counted from 1. */
  line: number;
  /** Counted from 1, in UTF-16 code units as in editors. */
  column: number;
  /** `hooks.Stop[0].hooks[1].timeout`, or empty for the whole file. */
  keyPath: string;
  message: string;
}

/** A diagnostic with the line that it is about. */
export interface LocatedDiagnostic extends Diagnostic {
  /** How much of the line is affected, in UTF-16 units; 0 if the problem concerns the whole file. */
  readonly length: number;
  /** The line as it is in the file; empty if there is none. */
  readonly sourceLine: string;
}

/** Creates a diagnostic for a problem that concerns a whole file. */
export function fileDiagnostic(severity: Severity, file: string, message: string): Diagnostic {
  return { severity, file, line: 1, column: 1, keyPath: "", message };
}

/** Formats a diagnostic as `file:line:column: key.path: message`, which editors and terminals turn into a link. */
export function formatDiagnostic({ file, line, column, keyPath, message }: Diagnostic): string {
  return `${visible(file)}:${line}:${column}: ${keyPath === "" ? "" : `${keyPath}: `}${message}`;
}

/** Returns the number of problems of each severity, such as `1 error, 2 warnings`, or an empty text. */
export function countDiagnostics(problems: readonly Diagnostic[]): string {
  return SEVERITIES.flatMap((wanted) => {
    const found = problems.filter(({ severity }) => severity === wanted).length;
    return found === 0 ? [] : [plural(found, wanted)];
  }).join(", ");
}
