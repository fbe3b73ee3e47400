/** Splits the output of a program into lines of a limited length (G37). */
import { KIB } from "@/common/limits";
import { plainText, sliceWhole } from "@/common/text";

const MAX_LINE_CHARS = 4 * KIB;
/** Of a longer output, the last lines are kept, because most tools end with their problems or a summary. */
const MAX_LINES = 200_000;

/** Returns the lines without control sequences and without spaces at their end. */
export function outputLines(text: string): string[] {
  return plainText(text)
    .split("\n")
    .slice(-MAX_LINES)
    .map((line) => sliceWhole(line, 0, MAX_LINE_CHARS).trimEnd());
}
