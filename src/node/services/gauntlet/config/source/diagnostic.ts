/** Something wrong with a configuration, with all that a person needs to find and mend it (G5). */
import { formatDiagnostic as formatHead, type Diagnostic } from "@/common/diagnostics";
import { sliceWhole } from "@/common/text";

export interface ConfigDiagnostic extends Diagnostic {
  /** `error`: nothing runs until it is mended. `warning`: the run goes on. */
  readonly severity: "error" | "warning";
  /** How much of the line it is about, in UTF-16 units; 0 where it is about the file as a whole. */
  readonly length: number;
  /** The line as it stands in the file, empty where there is none. */
  readonly sourceLine: string;
}

/** What is shown of a long line is about the problem. */
const MAX_CHARS = 100;
const CHARS_BEFORE = 40;
/** A blank each, so that columns stay where they are. */
// oxlint-disable-next-line no-control-regex -- these are the characters to take out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** `error: file:line:column: key.path: message`, and below it the line with a squiggle under the place. */
export function formatDiagnostic(problem: ConfigDiagnostic): string {
  return `${problem.severity}: ${explainDiagnostic(problem)}`;
}

/** The same without saying how bad it is. */
export function explainDiagnostic(problem: ConfigDiagnostic): string {
  const head = formatHead(problem);
  const { line, column, length, sourceLine } = problem;
  if (length === 0 || sourceLine.trim() === "") return head;
  const from = column - 1 > MAX_CHARS - CHARS_BEFORE ? column - 1 - CHARS_BEFORE : 0;
  const shown = sliceWhole(sourceLine, from, from + MAX_CHARS).replaceAll(CONTROLS, " ");
  const gutter = ` ${line} | `;
  const indent = gutter.length + column - 1 - from;
  const squiggle = "~".repeat(Math.max(1, Math.min(length, from + MAX_CHARS - column + 1)));
  return `${head}\n${gutter}${shown}\n${" ".repeat(indent)}${squiggle}`;
}

export function describeDiagnostics(problems: readonly ConfigDiagnostic[]): string {
  return problems.map(formatDiagnostic).join("\n");
}
