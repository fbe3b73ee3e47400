/**
 * Makes text of unknown origin safe to show: removes or escapes control characters, and cuts it. Also formats lists,
 * counts and shell words, finds lines, decodes UTF-8, and says why a regular expression is invalid. Each pattern reads
 * every character a constant number of times, so the cost is linear (H20a).
 */
import { describeError, tryOr } from "@/common/errors";

/* oxlint-disable no-control-regex -- control characters are the subject of this file */

/**
 * One control sequence or control character. A CSI sequence needs no final byte, and a string sequence (OSC, DCS, …)
 * ends before the next control character, so no alternative reads further than the start of the next match.
 */
const CONTROL =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A sequence of CONTROL that the text ends in, and that may continue. */
const UNFINISHED =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*$|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0000-\u001f\u007f-\u009f]*\u001b?$|\u001b[ -/]*$/;

/** Runs of characters that a terminal interprets or hides, except the two harmless emoji presentation selectors. */
const UNSEEN =
  /(?:(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])+/gu;

/** A run of the characters in `UNSEEN` except line breaks, tabs and ESC, or one ESC with its number, if it has one. */
const OUTPUT_UNIT =
  /\u001b(?:<\d+>)?|(?:(?![\ufe0e\ufe0f\n\t\u001b])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])+/gu;

/* oxlint-enable no-control-regex */

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Removes control sequences, NUL and the other control characters, but keeps tab and newline (H20). */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROL, "");
}

/**
 * Returns the offset of a control sequence at the end of the text that may continue in the next text. If there is none,
 * returns the length of the text.
 */
export function findUnfinished(text: string): number {
  const at = text.search(UNFINISHED);
  return at < 0 ? text.length : at;
}

/** Returns the text on one line, with escapes (`\n`, `\u202e`) for control, bidirectional and invisible characters. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escapeAll);
}

/**
 * The ESC of our own colors and cursor movements until they reach the terminal. Its number differs in each process, so
 * no text of a repository, a hook or a model can contain it.
 */
export const OWN_ESC = `\u001b<${Math.random().toFixed(20).slice(2)}>`;

/**
 * Escapes the same characters as `visible` in our own complete output, but keeps its line breaks and tabs, and replaces
 * `OWN_ESC` by an ESC. Uses the escapes of JSON, so a JSON document keeps its meaning.
 */
export function terminalText(text: string): string {
  return text.replace(OUTPUT_UNIT, (unit) => {
    if (unit === OWN_ESC) return "\u001b";
    return unit.startsWith("\u001b") ? escapeAll("\u001b") + unit.slice(1) : escapeAll(unit);
  });
}

const escapes: string[] = [];

function escapeAll(run: string): string {
  let escaped = "";
  for (let i = 0; i < run.length; i++) {
    const unit = run.charCodeAt(i);
    escaped += escapes[unit] ??=
      NAMED_ESCAPES.get(run.charAt(i)) ?? `\\u${unit.toString(16).padStart(4, "0")}`;
  }
  return escaped;
}

/** Returns the offset at which each line begins. `lineEnd` needs the flag `g`. */
export function findLineStarts(text: string, lineEnd = /\r\n|\r|\n/g): number[] {
  const starts = [0];
  for (const match of text.matchAll(lineEnd)) starts.push(match.index + match[0].length);
  return starts;
}

/** Returns the first line that is not blank, trimmed. */
export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0]?.trim() ?? "";
}

/** Cuts text to at most `max` characters, the last one an ellipsis. Never splits a surrogate pair. */
export function clip(text: string, max: number): string {
  if (max < 1) return "";
  return text.length <= max ? text : `${sliceWhole(text, 0, max - 1)}…`;
}

/** Slices like `String.slice`, but moves an end inward rather than split a surrogate pair. */
export function sliceWhole(text: string, from: number, to: number): string {
  const start = isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  const end = isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
  return text.slice(start, end);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

const MAX_PROBLEM_CHARS = 300;

/** Returns why a text is not a regular expression, on one line that is safe to show, or undefined if it is one. */
export function regExpProblem(text: string): string | undefined {
  try {
    new RegExp(text);
    return undefined;
  } catch (thrown) {
    return visible(clip(describeError(thrown), MAX_PROBLEM_CHARS));
  }
}

/** Returns the first names of a list: `a, b, c and 2 more`. */
export function firstNames(names: readonly string[], max: number): string {
  const rest = names.length - max;
  return `${names.slice(0, max).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Returns a text as one word of a command that a message shows, in quotes if a shell would change it. */
export function commandWord(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a count with its noun: `1 hook`, `2 hooks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns the text of bytes, with its byte order mark, or undefined if they are not UTF-8. */
export function strictText(bytes: Uint8Array): string | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return tryOr(() => decoder.decode(bytes), undefined);
}
