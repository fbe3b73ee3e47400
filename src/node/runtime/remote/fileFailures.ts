/**
 * Converts the output of a failed tool on another machine, or a lost connection to it, to the failure of a file
 * operation.
 */
import { clip, visible } from "@/common/safeText";
import { notAFile } from "@/node/runtime/messages";
import type { FileFailure } from "@/node/runtime/HookRuntime";

/** The file and the machine that a failure's message names. */
export interface FailurePlace {
  readonly path: string;
  readonly label: string;
  /** The target path of a rename. */
  readonly to?: string;
}

/**
 * Returns a failure for the output of a tool on the other machine. The end of a line counts:
 * `cannot open 'No such file or directory': Permission denied`.
 */
export function failureOfText(place: FailurePlace, text: string): FileFailure {
  const lines = text.trimEnd().split("\n").reverse();
  const code = lines.map(codeOfLine).find((found) => found !== undefined);
  if (code !== undefined) return failureOfCode(place, code);
  const output = clip(visible(lines[0] ?? ""), 500) || "the operation failed without a message";
  return { path: place.path, code: "UNKNOWN", message: `${describePlace(place)}: ${output}` };
}

/** Returns a failure for a system error code. */
export function failureOfCode(place: FailurePlace, code: string): FileFailure {
  return { path: place.path, code, message: messageOf(place, code) };
}

/** Returns a failure for a file of a machine that could not be reached, or was lost before it replied. */
export function failureOfConnection(
  { path, label }: FailurePlace,
  { code = LOST, message }: { readonly code?: string; readonly message: string }
): FileFailure {
  return { path, code, message: `${path} on ${label}: ${message}` };
}

/** The code for a machine that was lost, or whose reply does not match the request. */
const LOST = "ELOST";

function messageOf(place: FailurePlace, code: string): string {
  if (place.to === undefined && (code === "EISDIR" || code === "EINVAL")) {
    return notAFile[code](place.path);
  }
  const phrase = PHRASES.find(([known]) => known === code)?.[1][0];
  return `${code}${phrase === undefined ? "" : `: ${phrase}`}, ${describePlace(place)}`;
}

function describePlace({ path, label, to }: FailurePlace): string {
  return to === undefined ? `'${path}' on ${label}` : `'${path}' -> '${to}' on ${label}`;
}

function codeOfLine(line: string): string | undefined {
  const end = line.trimEnd().toLowerCase();
  return PHRASES.find(([, phrases]) => phrases.some((phrase) => end.endsWith(phrase)))?.[0];
}

/** The messages of the system and of shells in the C locale. The system's own comes first. */
const PHRASES: readonly (readonly [code: string, phrases: readonly [string, ...string[]]])[] = [
  ["ENOENT", ["no such file or directory", "no such file", "nonexistent directory", "nonexistent"]],
  ["EACCES", ["permission denied"]],
  ["EPERM", ["operation not permitted"]],
  ["EEXIST", ["file exists"]],
  ["ENOTDIR", ["not a directory"]],
  ["EISDIR", ["is a directory"]],
  ["ENOTEMPTY", ["directory not empty"]],
  ["ENOSPC", ["no space left on device"]],
  ["EDQUOT", ["disk quota exceeded", "disc quota exceeded", "quota exceeded"]],
  ["EFBIG", ["file too large"]],
  ["EROFS", ["read-only file system"]],
  ["ELOOP", ["too many levels of symbolic links", "symbolic link loop"]],
  ["ENAMETOOLONG", ["file name too long", "filename too long"]],
  ["EBUSY", ["device or resource busy", "resource busy"]],
  ["EXDEV", ["invalid cross-device link", "cross-device link"]],
  ["EIO", ["input/output error", "i/o error"]],
];
