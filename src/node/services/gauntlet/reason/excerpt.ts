/** Excerpts of logs that share one budget of characters (G26). */
import { clip } from "@/common/text";
import {
  prioritiesOf,
  withoutEqualLines,
  withoutRepetitions,
} from "@/node/services/gauntlet/reason/logLines";
import { PREFIX, quoted, quotedLength } from "@/node/services/gauntlet/reason/quotes";

const GAP = "      | …";
/** A longer line would take the space of others. */
const MAX_LINE_CHARS = 400;
const MIN_LINE = 40;

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

/** Combines equal lines: consecutive ones, and all of them if the texts do not fit into `max` characters together. */
export function compacted(texts: readonly string[], max: number): string[] {
  const shorter = texts.map(withoutRepetitions);
  const length = shorter.reduce((sum, text) => sum + quotedLength(text), 0);
  return length <= max ? shorter : shorter.map(withoutEqualLines);
}

/**
 * Quotes as many whole lines as fit into `max` characters, in the order of the text. Lines that help most come first,
 * and among equally helpful ones the last ones.
 */
export function excerpt(text: string, max: number): string {
  if (text === "") return "";
  if (quotedLength(text) <= max) return quoted(text);
  const lines = text.split("\n").map((line) => clip(line, MAX_LINE_CHARS));
  const priorities = prioritiesOf(lines);
  const rank = (i: number): number => priorities[i] ?? 0;
  const order = lines.map((_, i) => i).sort((a, b) => rank(a) - rank(b) || b - a);
  const kept = new Set<number>();
  let left = max;
  for (const i of order) {
    // A line beside a kept one needs no gap mark, and one between two kept lines makes a mark unnecessary.
    const gaps = 1 - Number(kept.has(i - 1)) - Number(kept.has(i + 1));
    const marks = gaps * (GAP.length + 1);
    const room = left - marks - PREFIX.length - 1;
    const length = lines[i]?.length ?? 0;
    const isFirst = kept.size === 0;
    if (length > room && !(isFirst && room > MIN_LINE)) continue;
    if (length > room) lines[i] = clip(lines[i] ?? "", room - 1);
    kept.add(i);
    left -= marks + PREFIX.length + 1 + (lines[i]?.length ?? 0);
  }
  return withGaps(lines, kept);
}

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
