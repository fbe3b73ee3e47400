/** Finds a report in the output of a check, between the lines of package managers and warnings. */
import { parseJson } from "@/common/json";

/** Only the beginning of a value whose brackets can begin a report. */
const BEGINNING = /^(?=[[{])(?:\[\s*(?:\{|\]|$)|\{\s*(?:"|$))/;
/** Characters that may be scanned altogether, so that many unfinished values take no quadratic time. */
const MAX_SCANNED_FACTOR = 4;

/**
 * Returns the first JSON value that begins a line and that `isReport` accepts. If there is none, returns undefined.
 */
export function jsonInOutput(text: string, isReport: (value: unknown) => boolean): unknown {
  const isWhole = parseJson(text);
  if (isWhole.isOk() && isReport(isWhole.value)) return isWhole.value;
  let left = text.length * MAX_SCANNED_FACTOR;
  let start = 0;
  while (start < text.length && left > 0) {
    const lineEnd = text.indexOf("\n", start);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    if (BEGINNING.test(text.slice(start, Math.min(next, start + MAX_BEGINNING)))) {
      const end = endOfValue(text, start);
      left -= (end ?? text.length) - start;
      const value = end === undefined ? undefined : parseJson(text.slice(start, end));
      if (value?.isOk() === true && isReport(value.value)) return value.value;
    }
    start = next;
  }
  return undefined;
}

const MAX_BEGINNING = 200;
const MARK = /["[\]{}]/g;
const STRING_END = /[^"\\]*(?:\\.[^"\\]*)*"/sy;

/** Returns the index after the bracket that closes the one at `start`, or undefined if none does. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  MARK.lastIndex = start;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    if (mark[0] === '"') {
      STRING_END.lastIndex = MARK.lastIndex;
      if (!STRING_END.test(text)) return undefined;
      MARK.lastIndex = STRING_END.lastIndex;
    } else if (mark[0] === "[" || mark[0] === "{") depth++;
    else if (--depth === 0) return MARK.lastIndex;
  }
  return undefined;
}
