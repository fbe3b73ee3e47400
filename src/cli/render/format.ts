/** Small pieces of text that several commands print. */
import { displayWidth, padToWidth } from "@/cli/render/displayWidth";
import { plainText } from "@/common/text";

/** `31 ms`, `4.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return rest === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${rest} s`;
}

/** On one line, with nothing in it that a terminal would obey. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ").trim();
}

/** For a person in that project: its own files are named from there. */
export function withinProject(text: string, projectDir: string): string {
  return oneLine(text).replaceAll(`${projectDir}/`, "");
}

export function indent(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by);
}

/** Returns a line a row. Each column is as wide as its widest cell on a terminal. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, displayWidth(cell))));
  }
  return rows.map((row) =>
    row
      .map((cell, i) => padToWidth(cell, widths[i] ?? 0))
      .join("  ")
      .trimEnd()
  );
}

/** A path as a person would write it: from the project, or from `~`. */
export function shortPath(path: string, projectDir: string, home: string): string {
  if (path.startsWith(`${projectDir}/`)) return path.slice(projectDir.length + 1);
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
