/**
 * Quotes words for sh, and makes the one line that runs a script in any login shell of another machine, with its
 * arguments on standard input.
 */
import { err, ok, type Result } from "neverthrow";
import { KIB } from "@/common/limits";

/** The maximum length of the words of a program. Linux limits one argument to 128 KiB. */
const MAX_LINE_BYTES = 120 * KIB;

/**
 * Returns a line that runs a script for `sh`, with the same meaning in every shell that is used as a login shell (bash,
 * dash, zsh, fish, csh). Every user of both machines can read it in the list of processes, so it has no contents: the
 * script gets them by standard input.
 *
 * @param script printable ASCII without single quotes, without a backslash before another one or before a quote, which
 *   fish reads as an escape, and with a blank after every `!`, which csh reads as history
 */
export function remoteLine(script: string): string {
  return `exec sh -c '${script}'`;
}

/** A command of a script that replaces its `$1`, `$2`… with those of {@link inputWords}. */
export const READ_WORDS = `IFS= read -r t && eval "$(printf %b "$t")" || exit 1;`;

/** Returns words as the first line of a standard input, or an error code. The shell reads no byte after it. */
export function inputWords(words: readonly string[]): Result<string, "E2BIG" | "EINVAL"> {
  if (words.some((text) => text.includes("\0"))) return err("EINVAL");
  const line = inputLine(`set -- ${words.map(shellWord).join(" ")}`);
  return line.length <= MAX_LINE_BYTES ? ok(line) : err("E2BIG");
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

/** Returns a text as one line for `printf %b`. */
export function inputLine(text: string): string {
  const chars = Array.from(Buffer.from(text), (byte) => {
    const char = String.fromCharCode(byte);
    return /[^ -~]|\\/.test(char) ? `\\0${byte.toString(8).padStart(3, "0")}` : char;
  });
  return `${chars.join("")}\n`;
}
