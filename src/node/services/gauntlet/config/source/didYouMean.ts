/** Suggests the nearest of a few names: "did you mean" (G5). */

/** Longer words are not typing errors, and the comparison is quadratic. */
const MAX_WORD_CHARS = 64;

/** Returns the most likely candidate: `baseBranch` → `base_branch`, `entry_point` → `entry_points`. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_CHARS) return undefined;
  const wanted = fold(word);
  let best: string | undefined;
  let least = Math.min(Math.floor(wanted.length * 0.4), 3) + 1;
  for (const candidate of candidates) {
    if (candidate.length > MAX_WORD_CHARS) continue;
    const distance = editDistance(wanted, fold(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Returns `; did you mean "lint"?`, or an empty text. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined || meant === word ? "" : `; did you mean ${JSON.stringify(meant)}?`;
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, "");
}

/** Counts insertions, deletions, replacements and swaps of neighbors as one edit each. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(beforeLast, j - 2) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
