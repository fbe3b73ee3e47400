/** Text formatting shared by several commands. */
import { posix } from "node:path";
import { displayWidth, padToWidth } from "@/cli/render/displayWidth";
import { plainText, visible } from "@/common/text";

/** Returns the text on one line without control sequences. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ").trim();
}

/** Returns the text on one line, with paths in the project made relative to it. */
export function withinProject(text: string, projectDir: string): string {
  return oneLine(text).replaceAll(`${projectDir}/`, "");
}

export function indent(text: string, by: string): string {
  return text.replaceAll(/^(?=.)/gm, by);
}

/** Cells that are wider move only the rest of their own row. */
const MAX_COLUMN_WIDTH = 80;

/** Pads each column to its widest cell of usual width, except the last one. */
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
  const relative = posix.relative(cwd, path);
  return visible(relative.startsWith("../") ? shortPath(path, cwd, home) : relative);
}

/** Shortens a path: relative to the project, or to home with `~`. */
export function shortPath(path: string, projectDir: string, home: string): string {
  if (path.startsWith(`${projectDir}/`)) return path.slice(projectDir.length + 1);
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
