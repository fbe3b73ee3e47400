/** Widths on a terminal, where a CJK character or an emoji takes two columns. */
import stringWidth from "string-width";
import { terminalText } from "@/common/foreignText";

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Returns the number of columns that the text takes, with the escapes that are printed for invisible characters. */
export function displayWidth(text: string): number {
  // The library segments the text and takes some microseconds a character.
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(terminalText(text));
}

/** Cuts the text to a number of columns. The last one becomes an ellipsis. */
export function truncateToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const kept: string[] = [];
  let width = 1;
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, columns * 4))) {
    width += displayWidth(segment);
    if (width > columns) break;
    kept.push(segment);
  }
  return `${kept.join("")}…`;
}

/** Pads the text with spaces to a number of columns. A wider text stays as it is. */
export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(columns - displayWidth(text), 0));
}
