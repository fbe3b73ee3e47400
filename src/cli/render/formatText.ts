/** Formats text for the terminal: on one line, in columns, with short paths, and padded, cut or wrapped to a width. */
import stringWidth from "fast-string-width";
import { posix } from "node:path";
import { plainText, visible, terminalText } from "@/common/safeText";

/** Returns the text on one line without control sequences. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ").trim();
}

/** Returns the text on one line, with paths in the project made relative to it. */
export function withinProject(text: string, projectDir: string): string {
  return oneLine(text).replaceAll(`${projectDir}/`, (path, at: number, all: string) =>
    /[\w./~-]/.test(all.charAt(at - 1)) ? path : ""
  );
}

/** Puts `by` before each line that is not empty. */
export function indent(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by);
}

/** The maximum width of an aligned column. A wider cell moves only the rest of its own row. */
const MAX_COLUMN_WIDTH = 80;

/** Returns a line for each row, with the columns padded to their widest cell, except cells over the maximum width. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      const width = displayWidth(cell);
      if (width <= MAX_COLUMN_WIDTH) widths[i] = Math.max(widths[i] ?? 0, width);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, i) => padToWidth(cell, widths[i] ?? 0))
      .join("  ")
      .trimEnd()
  );
}

/** Returns the path as the user would write it in the current folder, with control characters escaped. */
export function pathForUser(path: string, { cwd, home }: { cwd: string; home: string }): string {
  const relative = posix.relative(cwd, path) || ".";
  return visible(relative.startsWith("../") ? shortPath(path, cwd, home) : relative);
}

/** Shortens a path: relative to the project, or to home with `~`. */
export function shortPath(path: string, projectDir: string, home: string): string {
  if (path.startsWith(`${projectDir}/`)) return path.slice(projectDir.length + 1);
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Returns the number of columns that the text takes, with the escapes that are printed for invisible characters. */
export function displayWidth(text: string): number {
  // The library segments the text and takes some microseconds a character.
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(terminalText(text));
}

/** Cuts the text to a number of columns. The last one becomes an ellipsis. */
export function truncateToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const kept: string[] = [];
  let width = 1;
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, columns * 4))) {
    width += displayWidth(segment);
    if (width > columns) break;
    kept.push(segment);
  }
  return `${kept.join("")}…`;
}

/** Cuts the middle out of a text to fit a number of columns. Its end keeps twice as much as its beginning. */
export function truncateMiddle(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const head = Math.floor((columns - 1) / 3);
  const segments = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  const start = fitting(segments, head);
  const end = fitting(segments.toReversed(), columns - 1 - head);
  return `${start.join("")}…${end.toReversed().join("")}`;
}

/** Returns the first segments, as many as fit. */
function fitting(segments: readonly string[], columns: number): string[] {
  let width = 0;
  const end = segments.findIndex((segment) => (width += displayWidth(segment)) > columns);
  return segments.slice(0, end === -1 ? segments.length : end);
}

/**
 * Breaks a line at spaces so that each part takes at most a number of columns. All parts but the first are indented. A
 * word that is too long stays whole, because a terminal wraps it without making two words of it.
 */
export function wrapWords(text: string, columns: number, indent: string): string[] {
  if (displayWidth(text) <= columns) return [text];
  const [, start = "", rest = ""] = /^( *)(.*)$/s.exec(text) ?? [];
  const [first = "", ...words] = rest.split(" ");
  const lines: string[] = [];
  let line = start + first;
  let width = start.length + displayWidth(first);
  for (const word of words) {
    const size = displayWidth(word);
    if (indent.length + size <= columns && width + 1 + size > columns) {
      lines.push(line);
      line = indent + word;
      width = indent.length + size;
    } else {
      line += ` ${word}`;
      width += 1 + size;
    }
  }
  return [...lines, line];
}

/** Pads the text with spaces to a number of columns. A wider text stays as it is. */
export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(columns - displayWidth(text), 0));
}
