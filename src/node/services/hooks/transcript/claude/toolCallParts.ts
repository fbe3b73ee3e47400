/**
 * Types and helpers for the table in `convertMuxTools.ts`, which converts Mux's tool calls to those of Claude Code
 * (H37): the converted call, values of Mux's input and output, and edits of files as replacements and diff hunks.
 */
import { posix } from "node:path";
import { isJsonObject, objectOf, type JsonObject } from "@/common/json";

/** Facts that a row of the table may use besides the input of the call. */
export interface ToolScope {
  /** ID of the call. */
  readonly id: string;
  /** The result in Mux's format. Absent while the tool runs. */
  readonly output: unknown;
  /** Absolute. */
  readonly cwd: string;
  /** The to-do list before this call, in Claude Code's format. */
  readonly todos: readonly JsonObject[];
}

/** A call of one of Claude Code's tools. */
export interface ClaudeCall {
  readonly name: string;
  readonly input: JsonObject;
  /**
   * Returns the result of a call that succeeded: what the agent gets, and `toolUseResult`. `output` is an object; `raw`
   * is what Mux recorded.
   */
  readonly result: (output: JsonObject, raw: unknown) => { content: unknown; structured: unknown };
  /** Returns what the agent gets if the call failed, or undefined for the error's own text. */
  readonly failure?: (output: JsonObject) => string | undefined;
  /** The to-do list after the call. */
  readonly todos?: readonly JsonObject[];
}

/** Returns the path of a file tool. Claude Code's paths are absolute. */
export function absolutePath(input: JsonObject, { cwd }: ToolScope): string {
  const path = input.path ?? input.file_path ?? input.filePath;
  if (typeof path !== "string") return "";
  return path.startsWith("~") ? path : posix.resolve(cwd, path);
}

/** Returns a text of an object; empty if it has no such text. */
export function textIn(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

/** Returns the objects of a list; empty if it has no such list. */
export function objectsIn(object: JsonObject, key: string): JsonObject[] {
  const list = object[key];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Leaves out keys without a value. Mux stores `null` for optional fields that a model left out. */
export function definedEntries(object: JsonObject): JsonObject {
  const entries = Object.entries(object).filter(
    ([key, value]) => value !== undefined && (value !== null || NULLABLE.has(key))
  );
  return Object.fromEntries(entries);
}

/** Fields whose `null` has a meaning in Claude Code's format. */
const NULLABLE = new Set(["exitCode", "plan"]);

/** An edit of a file as the replacement of a text. */
interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
}

/** One hunk of a diff. */
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
  if (typeof precedes === "string") return { old_string: precedes, new_string: precedes + content };
  const follows = input.insert_before ?? input.after;
  if (typeof follows === "string") return { old_string: follows, new_string: content + follows };
  return undefined;
}

/** Returns the replacement of a range of lines. The old ones are in the input, or else in the diff. */
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
  // Mux keeps the diff for its own display if the agent gets a shorter one.
  const result = objectOf(output);
  const own = textIn(objectOf(objectOf(result.ui_only).file_edit), "diff");
  for (const line of (own || textIn(result, "diff")).split("\n")) {
    const [, oldStart, oldLines = "1", newStart, newLines = "1"] = HUNK.exec(line) ?? [];
    if (oldStart !== undefined) {
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: [],
      });
    } else if (/^[-+ \\]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}
