/** Splits the output of a program into lines of a limited length and number, without control sequences (G37). */
import { KIB } from "@/common/limits";
import { plainText, sliceWhole } from "@/common/safeText";

const MAX_LINE_CHARS = 4 * KIB;
/** The last lines of a longer output are kept, because most tools end with their problems or a summary. */
const MAX_LINES = 200_000;
/** About this many characters are split into lines at a time. */
const CHUNK_CHARS = 4 * KIB;

/** The lines of an output in parts, so that they are never all in memory. Can be iterated several times. */
export type OutputChunks = Iterable<readonly string[]>;

/** Returns the lines without control sequences and without spaces at their end. */
export function outputLines(text: string): string[] {
  return plainText(text)
    .split("\n")
    .map((line) => sliceWhole(line, 0, MAX_LINE_CHARS).trimEnd());
}

/** Returns the last lines of a long output, as {@link outputLines} does. `isCut`: it has others. */
export function outputChunks(text: string): OutputChunks & { readonly isCut: boolean } {
  const start = startOfLast(text, MAX_LINES);
  return { isCut: start > 0, [Symbol.iterator]: () => chunksFrom(text, start) };
}

function* chunksFrom(text: string, first: number): Generator<readonly string[]> {
  let start = first;
  while (start < text.length) {
    const lineEnd = text.indexOf("\n", start + CHUNK_CHARS);
    const end = lineEnd === -1 ? text.length : lineEnd;
    yield outputLines(text.slice(start, end));
    start = end + 1;
  }
}

/** Returns the index at which the last `count` lines begin. */
function startOfLast(text: string, count: number): number {
  let at = text.length;
  for (let i = 0; i < count; i++) {
    at = at === 0 ? -1 : text.lastIndexOf("\n", at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}
