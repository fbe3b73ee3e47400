export { plainText, visible } from "@/common/foreignText";

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
