/** The types of the table of tools: a call of Mux's, and the one that Claude Code would have recorded. */
import { posix } from "node:path";
import { isJsonObject, type JsonObject } from "@/common/json";

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

export interface ClaudeResult {
  /** What the agent gets. */
  readonly content: unknown;
  /** `toolUseResult`. */
  readonly structured: unknown;
}

/** A call of one of Claude Code's tools. */
export interface ClaudeCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Returns the result of a call that succeeded. `output` is an object; `raw` is what Mux recorded. */
  readonly result: (output: JsonObject, raw: unknown) => ClaudeResult;
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
