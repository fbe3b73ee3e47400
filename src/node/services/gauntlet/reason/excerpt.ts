/** Excerpts of logs that share one budget of characters (G26). */
import { clip } from "@/common/text";

const PREFIX = "      | ";
const GAP = "      | …";
/** Matching lines are kept before the others. */
const ERROR_LINE =
  /error|fail|fatal|exception|assert|panic|expected|cannot|not found|\bnot ok\b|✗|✕|×/i;
/** A stack frame may name an error class, but has less information than the line above it. */
const FRAME = /^\s*at\s/;

/** Quotes a text: otherwise a program's output or a file name could pass for text of the gauntlet. */
export function quoted(text: string): string {
  return text.replaceAll(/^/gm, PREFIX);
}

/** Divides a budget so that the part that a short text does not need goes to the longer ones. */
export function shareOut(budget: number, needs: readonly number[]): number[] {
  const order = needs.map((need, i) => ({ need, i })).sort((a, b) => a.need - b.need);
  const shares = needs.map(() => 0);
  let left = Math.max(0, budget);
  for (const [done, { need, i }] of order.entries()) {
    const share = Math.min(need, Math.floor(left / (order.length - done)));
    shares[i] = share;
    left -= share;
  }
  return shares;
}

/** Returns the number of characters of a whole text when it is quoted. */
export function quotedLength(text: string): number {
  return text === "" ? 0 : quoted(text).length + 1;
}

/**
 * Quotes as many whole lines as fit into `max` characters, in the order of the text. Prefers lines that name an error,
 * and among those and the others the last ones.
 */
export function excerpt(text: string, max: number): string {
  if (quotedLength(text) <= max) return quoted(text);
  const lines = text.split("\n");
  const isError = (line: string): boolean => ERROR_LINE.test(line) && !FRAME.test(line);
  const indexes = lines.map((_, i) => i).reverse();
  const order = [
    ...indexes.filter((i) => isError(lines[i] ?? "")),
    ...indexes.filter((i) => !isError(lines[i] ?? "")),
  ];
  const kept = new Set<number>();
  let left = max;
  for (const i of order) {
    // A line beside a kept one needs no gap mark, and one between two kept lines makes a mark unnecessary.
    const gaps = 1 - Number(kept.has(i - 1)) - Number(kept.has(i + 1));
    const marks = gaps * (GAP.length + 1);
    const room = left - marks - PREFIX.length - 1;
    const length = lines[i]?.length ?? 0;
    const isFirst = kept.size === 0;
    if (length > room && !(isFirst && room > MIN_LINE)) break;
    if (length > room) lines[i] = clip(lines[i] ?? "", room - 1);
    kept.add(i);
    left -= marks + PREFIX.length + 1 + (lines[i]?.length ?? 0);
  }
  return withGaps(lines, kept);
}

const MIN_LINE = 40;

function withGaps(lines: readonly string[], kept: ReadonlySet<number>): string {
  const out: string[] = [];
  let before = -1;
  for (const i of [...kept].sort((a, b) => a - b)) {
    if (i > before + 1) out.push(GAP);
    out.push(`${PREFIX}${lines[i] ?? ""}`);
    before = i;
  }
  return out.join("\n");
}
