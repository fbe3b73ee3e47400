import { err, ok, type Result } from "neverthrow";
import { KIB } from "@/common/limits";

/** One argument of a program is at most 128 KiB on Linux, and a login shell gets the whole line as one. */
const MAX_LINE_BYTES = 120 * KIB;

export interface LineFailure {
  readonly code: "E2BIG" | "EINVAL";
  readonly message: string;
}

/**
 * A script for `sh` with its `$1`, `$2`…, as a line that means the same to every shell that is somebody's login shell
 * (bash, dash, zsh, fish, csh): printable ASCII, and nothing between the quotes that one of them reads in its own way.
 *
 * What is plain stands in it as it is. Of what is not, `printf %b` makes a list of words on the far side, at the price
 * of a fork.
 */
export function remoteLine(script: string, args: readonly string[]): Result<string, LineFailure> {
  const all = [script, ...args];
  if (all.some((text) => text.includes("\0"))) {
    const message =
      "the command, its working directory or its environment holds a NUL byte, which no program can be given";
    return err({ code: "EINVAL", message });
  }
  const line = all.every(isPlain)
    ? `exec sh -c ${[script, "sh", ...args].map(plainWord).join(" ")}`
    : `exec sh -c 'eval "$(printf %b "$0")"' '${escaped(`set -- ${args.map(shellWord).join(" ")}\n${script}`)}'`;
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return ok(line);
  const message = `the arguments and the environment are longer than a line to another machine may be (${MAX_LINE_BYTES / KIB} KiB); hand the data over in a file or on standard input`;
  return err({ code: "E2BIG", message });
}

/** Joins the lines of a script, each of which ends where a command does. */
export function onOneLine(script: string): string {
  return codeLines(script)
    .map((line) => line.trim())
    .join(" ");
}

/** Removes blank lines and comment lines. */
export function codeLines(script: string): string[] {
  return script.split("\n").filter((line) => !/^\s*(?:#|$)/.test(line));
}

/** For sh: one word, exactly that text. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For any login shell: a quote stands between others. */
function plainWord(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/**
 * csh takes `!` for history where no blank follows, in quotes too; fish takes a backslash before another one or before
 * a quote for an escape.
 */
function isPlain(text: string): boolean {
  return /^(?:[ "-[\]-~]|!(?= )|\\(?=["$0-9a-z]))*$/.test(text);
}

/** For `printf %b`: every byte that could mean something to a shell by its octal number. */
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
