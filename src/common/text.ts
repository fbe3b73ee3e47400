import { stripVTControlCharacters } from "node:util";

/** Takes out ANSI sequences, NUL and the other control characters, but keeps tab and newline (H20). */
export function plainText(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are the characters to take out
  const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replace(controls, "");
}

/**
 * On one line, and with nothing in it that a terminal would obey or an eye would miss: control characters and those that
 * turn the direction of writing stand as escapes (`\n`, `\u001b`). For names that somebody else has given.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/gu, (char) => {
    const code = `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return NAMED_ESCAPES.get(char) ?? code;
  });
}

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** The first line that is not blank, trimmed. */
export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0]?.trim() ?? "";
}

/** At most `max` characters, the last one an ellipsis where something was cut; never half a surrogate pair. */
export function clip(text: string, max: number): string {
  return text.length <= max ? text : `${sliceWhole(text, 0, max - 1)}…`;
}

/** `slice` that moves inward rather than cut a surrogate pair in two. */
export function sliceWhole(text: string, from: number, to: number): string {
  const start = isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  const end = isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
  return text.slice(start, end);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** `1 hook`, `2 hooks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
