export { plainText, visible } from "@/common/foreignText";

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

/** Returns the first names of a list: `a, b, c and 2 more`. */
export function firstNames(names: readonly string[], max: number): string {
  const rest = names.length - max;
  return `${names.slice(0, max).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** Returns a count with its noun: `1 hook`, `2 hooks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
