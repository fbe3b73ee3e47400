/** Suggests the name that a user most likely meant (G5). */
import { distance } from "fastest-levenshtein";

/** Longer words are not compared, because the time is quadratic. */
const MAX_WORD_CHARS = 64;

/** Edits that a suggestion may need. A swap of two neighbors counts as two. */
const MAX_EDITS = 3;

/**
 * Returns the candidate that a person most likely meant: `baseBranch` → `base_branch`, `entry_point` → `entry_points`.
 * At most half of the letters may differ.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_CHARS) return undefined;
  const wanted = fold(word);
  let best: string | undefined;
  let least = Math.min(Math.floor(wanted.length / 2), MAX_EDITS) + 1;
  for (const candidate of candidates) {
    if (candidate.length > MAX_WORD_CHARS) continue;
    const edits = distance(wanted, fold(candidate));
    if (edits < least) [best, least] = [candidate, edits];
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
