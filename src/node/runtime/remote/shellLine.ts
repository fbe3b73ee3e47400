import { err, ok, type Result } from "neverthrow";
import { KIB } from "@/common/limits";
import { commandLineTooLong, NUL_BYTE } from "@/node/runtime/messages";

/** The maximum of a line: Linux limits one argument to 128 KiB, and a login shell gets the whole line as one. */
const MAX_LINE_BYTES = 120 * KIB;

export interface LineFailure {
  readonly code: "E2BIG" | "EINVAL";
  readonly message: string;
}

/**
 * Returns a script for `sh` and its `$1`, `$2`… as a line with the same meaning in every shell that is used as a login
 * shell (bash, dash, zsh, fish, csh): printable ASCII, without quoted characters that one of them interprets.
 *
 * Plain text is included unchanged. For other text, `printf %b` makes a list of words on the other machine, at the cost
 * of a fork.
 */
export function remoteLine(script: string, args: readonly string[]): Result<string, LineFailure> {
  const all = [script, ...args];
  if (all.some((text) => text.includes("\0"))) return err({ code: "EINVAL", message: NUL_BYTE });
  const line = all.every(isPlain)
    ? `exec sh -c ${[script, "sh", ...args].map(plainWord).join(" ")}`
    : `exec sh -c 'eval "$(printf %b "$0")"' '${escaped(`set -- ${args.map(shellWord).join(" ")}\n${script}`)}'`;
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return ok(line);
  return err({ code: "E2BIG", message: commandLineTooLong(MAX_LINE_BYTES / KIB) });
}

/** Joins the lines of a script, each of which must end where a command does. */
export function onOneLine(script: string): string {
  return codeLines(script)
    .map((line) => line.trim())
    .join(" ");
}

/** Removes blank lines and comment lines. */
export function codeLines(script: string): string[] {
  return script.split("\n").filter((line) => !/^\s*(?:#|$)/.test(line));
}

/** Quotes a text as one word for sh. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a text as one word for any login shell. Single quotes are put in double quotes. */
function plainWord(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/**
 * Returns whether every login shell reads a quoted text alike. csh reads `!` as history if no blank follows, even in
 * quotes. fish reads a backslash before another one or before a quote as an escape.
 */
function isPlain(text: string): boolean {
  return !/[^ -~]|!(?! )|\\(?!["$0-9a-z])/.test(text);
}

/** Escapes a text for `printf %b`: every byte with a meaning for a shell is replaced by its octal number. */
function escaped(text: string): string {
  let line = "";
  for (const byte of Buffer.from(text)) {
    const char = String.fromCharCode(byte);
    line += /[ -~]/.test(char) && !/['!\\]/.test(char) ? char : `\\0${octal(byte)}`;
  }
  return line;
}

function octal(byte: number): string {
  return byte.toString(8).padStart(3, "0");
}
