/** Renders a diagnostic with its source line and a squiggle under the position. */
import { displayWidth } from "@/cli/render/displayWidth";
import { formatDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { sliceWhole } from "@/common/text";
import type { Style } from "@/cli/render/style";

/** The length of an excerpt. A minified file is one line, so only the part around the problem is shown. */
const MAX_CHARS = 100;
const CHARS_BEFORE = 40;
/** Control characters. Each is replaced by one space, so that columns keep their positions. */
// oxlint-disable-next-line no-control-regex -- these are the characters to take out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Renders a diagnostic. `source` is the text of the whole file, or undefined if it could not be read. */
export function explainDiagnostic(
  diagnostic: Diagnostic,
  source: string | undefined,
  style: Style
): string {
  const { severity, line, column } = diagnostic;
  const colour =
    severity === "error" ? style.red : severity === "warning" ? style.yellow : style.dim;
  const head = `${colour(severity)} ${formatDiagnostic(diagnostic)}`;
  // A problem of the whole file has no position.
  if (diagnostic.keyPath === "" && line === 1 && column === 1) return head;
  const text = source?.split(/\r\n|\r|\n/)[line - 1];
  if (text === undefined || text.trim() === "") return head;
  const from = column - 1 > MAX_CHARS - CHARS_BEFORE ? column - 1 - CHARS_BEFORE : 0;
  const shown = sliceWhole(text, from, from + MAX_CHARS).replaceAll(CONTROLS, " ");
  const gutter = ` ${line} | `;
  const start = column - 1;
  const length = Math.min(tokenLength(text, start), MAX_CHARS);
  const token = text.slice(start, start + length).replaceAll(CONTROLS, " ");
  const before = " ".repeat(displayWidth(gutter + shown.slice(0, start - from)));
  const squiggle = "~".repeat(Math.max(displayWidth(token), 1));
  return [head, `${style.dim(gutter)}${shown}`, `${before}${colour(squiggle)}`].join("\n");
}

/** Returns the length of the JSON token at `start`: a string, a word or number, or a single character. */
function tokenLength(text: string, start: number): number {
  const token = /^(?:"(?:[^"\\]|\\.)*"?|[\w.+-]+)/.exec(text.slice(start));
  return token?.[0].length ?? 1;
}
