/** Comparing what a page shows with what is really printed. */

/** Where the pages' own project lies; tests have it in a temporary folder. */
const SHOWN_HOME = "/home/you";
const SHOWN_PROJECT = `${SHOWN_HOME}/slug`;

const DURATION = /\b\d+(?:\.\d+)? ?(?:ms|s|min)\b/g;
const ELSEWHERE = "…";

/**
 * A pattern out of what a page shows. A line that holds `…` alone stands for any lines, a `…` within a line for any
 * text of that line; durations are never the same twice, and the columns before them move with them.
 */
export function expectedOutput(shown: string): RegExp {
  const lines = shown.trimEnd().split("\n");
  const pattern = lines.map((line, i) => {
    const end = i === lines.length - 1 ? "" : "\n";
    return line.trim() === ELSEWHERE ? "(?:.*(?:\n|$))*?" : `${linePattern(line)}${end}`;
  });
  return new RegExp(`^${pattern.join("")}$`);
}

/** What is printed, as a page would show it. */
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
