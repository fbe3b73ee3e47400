/** `error`: skipped because it is wrong. `warning`: used, with a default in place. `notice`: worth knowing. */
export type Severity = "error" | "warning" | "notice";

/** Something to tell about one place of one file (H5). */
export interface Diagnostic {
  severity: Severity;
  file: string;
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units as editors count. */
  column: number;
  /** `hooks.Stop[0].hooks[1].timeout`, or empty for the file as a whole. */
  keyPath: string;
  message: string;
}

/** `file:line:column: key.path: message`, the form that editors and terminals link. */
export function formatDiagnostic({ file, line, column, keyPath, message }: Diagnostic): string {
  return `${file}:${line}:${column}: ${keyPath === "" ? "" : `${keyPath}: `}${message}`;
}
