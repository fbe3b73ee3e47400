/** Compares the output on a page with the real output. */

/** The project's home on the pages. Tests use a temporary folder. */
const SHOWN_HOME = "/home/you";
const SHOWN_PROJECT = `${SHOWN_HOME}/slug`;

const DURATION = /\b\d+(?:\.\d+)? ?(?:ms|s|min)\b/g;
const ELSEWHERE = "…";

/**
 * Returns a pattern for the output on a page. A line with `…` alone matches any lines, and a `…` within a line any text
 * of that line. Durations and the width of the columns before them may differ.
 */
export function expectedOutput(shown: string): RegExp {
  const lines = shown.trimEnd().split("\n");
  const pattern = lines.map((line, i) => {
    const end = i === lines.length - 1 ? "" : "\n";
    return line.trim() === ELSEWHERE ? "(?:.*(?:\n|$))*?" : `${linePattern(line)}${end}`;
  });
  return new RegExp(`^${pattern.join("")}$`);
}

/** Converts real output to the form that a page shows. */
export function asShown(printed: string, folders: { dir: string; home: string }): string {
  return printed
    .replaceAll(folders.dir, SHOWN_PROJECT)
    .replaceAll(folders.home, SHOWN_HOME)
    .replaceAll(/[ \t]+$/gm, "")
    .replace(/^\n+/, "")
    .trimEnd();
}

function linePattern(line: string): string {
  return line
    .trimEnd()
    .split(ELSEWHERE)
    .map((piece) =>
      piece
        .split(DURATION)
        .map((text) => escape(text).replaceAll(/ +/g, " +"))
        .join(" *\\d+(?:\\.\\d+)? ?(?:ms|s|min)")
    )
    .join(".*");
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
