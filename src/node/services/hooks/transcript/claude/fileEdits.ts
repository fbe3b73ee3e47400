/** Represents the edits of Mux's file tools as replacements of text, and their diffs as hunks (H37). */
import { isJsonObject, type JsonObject } from "@/common/json";
import { textIn } from "@/node/services/hooks/transcript/claude/toolTypes";

interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each begins with a blank, `-`, `+` or `\`. */
  readonly lines: readonly string[];
}

/** Returns an insertion as the replacement of its anchor, or undefined if it has none. */
export function insertion(input: JsonObject): Replacement | undefined {
  const content = textIn(input, "content");
  const precedes = input.insert_after ?? input.before;
  if (typeof precedes === "string") {
    return { old_string: precedes, new_string: `${precedes}${content}` };
  }
  const follows = input.insert_before ?? input.after;
  if (typeof follows === "string") {
    return { old_string: follows, new_string: `${content}${follows}` };
  }
  return undefined;
}

/** Returns the replacement of a range of lines. The old lines are in the input if the model gave them, else in the diff. */
export function editOfLines(input: JsonObject, output: unknown): Replacement {
  const expected = linesIn(input.expected_lines);
  const removed = patchOf(output).flatMap(({ lines }) =>
    lines.filter((line) => line.startsWith("-")).map((line) => line.slice(1))
  );
  return {
    old_string: (expected ?? removed).join("\n"),
    new_string: (linesIn(input.new_lines) ?? []).join("\n"),
  };
}

function linesIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((line) => typeof line === "string") : undefined;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Returns the hunks of a file tool's diff; empty if Mux left the diff out. */
export function patchOf(output: unknown): Hunk[] {
  const hunks: (Omit<Hunk, "lines"> & { lines: string[] })[] = [];
  let open: string[] | undefined;
  for (const line of diffOf(output).split("\n")) {
    const [, oldStart, oldLines = "1", newStart, newLines = "1"] = HUNK.exec(line) ?? [];
    if (oldStart !== undefined) {
      open = [];
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: open,
      });
    } else if (/^[-+ \\]/.test(line)) open?.push(line);
  }
  return hunks;
}

/** Mux keeps the diff for its own display if the agent gets a shorter one. */
function diffOf(output: unknown): string {
  if (!isJsonObject(output)) return "";
  const shown = isJsonObject(output.ui_only) ? output.ui_only.file_edit : undefined;
  return (isJsonObject(shown) ? textIn(shown, "diff") : "") || textIn(output, "diff");
}
