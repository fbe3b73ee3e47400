/**
 * Formats a problem of a configuration for the user: its position and message, then the line with a mark under the
 * affected part (G5).
 */
import { formatDiagnostic as formatHead, type LocatedDiagnostic } from "@/common/diagnostics";
import { sliceWhole } from "@/common/safeText";

/** A long line is cut to the part around the problem. */
const MAX_CHARS = 100;
const CHARS_BEFORE = 40;
/** Characters that are replaced by one space each, so that columns do not shift. */
// oxlint-disable-next-line no-control-regex -- these are the characters to take out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Formats `error: file:line:column: key.path: message`, then the line, and a squiggle under the affected part. */
export function formatDiagnostic(problem: LocatedDiagnostic): string {
  return `${problem.severity}: ${explainDiagnostic(problem)}`;
}

/** Formats a problem without its severity. */
export function explainDiagnostic(problem: LocatedDiagnostic): string {
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

export function describeDiagnostics(problems: readonly LocatedDiagnostic[]): string {
  return problems.map(formatDiagnostic).join("\n");
}
