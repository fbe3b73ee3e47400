/** A problem with the line of the file that it is about, and a squiggle under the place. */
import { displayWidth } from "@/cli/render/displayWidth";
import { formatDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { sliceWhole } from "@/common/text";
import type { Style } from "@/cli/render/style";

/** A minified file is one line: what is shown of it is about the problem. */
const MAX_CHARS = 100;
const CHARS_BEFORE = 40;
/** A blank each, so that columns stay where they are. */
// oxlint-disable-next-line no-control-regex -- these are the characters to take out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** `source` is the whole file, absent where it could not be read. */
export function explainDiagnostic(
  diagnostic: Diagnostic,
  source: string | undefined,
  style: Style
): string {
  const { severity, line, column } = diagnostic;
  const colour =
    severity === "error" ? style.red : severity === "warning" ? style.yellow : style.dim;
  const head = `${colour(severity)} ${formatDiagnostic(diagnostic)}`;
  // A problem of the file as a whole has no place in it.
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

/** How far a JSON token goes: a string, a word or number, or a single sign. */
function tokenLength(text: string, start: number): number {
  const token = /^(?:"(?:[^"\\]|\\.)*"?|[\w.+-]+)/.exec(text.slice(start));
  return token?.[0].length ?? 1;
}
