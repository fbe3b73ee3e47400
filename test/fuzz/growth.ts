/** Measures how the CPU time of a parser grows with its input (H20a). */

export interface Growth {
  /** Milliseconds of CPU for n, 2n and 4n repetitions. */
  readonly ms: readonly [number, number, number];
  /** The growth for twice the input: see `ratioOf`. It is 1 if the times are too short to compare. */
  readonly ratio: number;
}

export const MAX_RATIO = 2.5;
/** Below this time the result depends on timer resolution, garbage collection and other processes. */
const MIN_COMPARABLE_MS = 40;
const REPEATS = 3;
const ATTEMPTS = 6;

type Read = (repeated: string) => void;
type Times = Growth["ms"];

/**
 * Repeats `unit` so that the largest input has about `maxChars`. Other work on the machine can only add time, so the
 * shortest of several times counts, and a bad ratio is measured again. `floor` is the part of `run` that Node itself
 * does: if its growth for twice the input is above 2, `run` may grow more by the same factor.
 */
export function measureGrowth(unit: string, maxChars: number, run: Read, floor?: Read): Growth {
  const n = Math.max(1, Math.floor(maxChars / 4 / unit.length));
  let best: Growth | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const ms = timesOf(unit, n, run);
    let ratio = ratioOf(...ms);
    if (floor !== undefined && ratio >= MAX_RATIO) {
      ratio /= Math.max(1, ratioOf(...timesOf(unit, n, floor)) / 2);
    }
    if (best === undefined || ratio < best.ratio) best = { ms, ratio };
    if (best.ratio < MAX_RATIO) return best;
  }
  return best ?? { ms: [0, 0, 0], ratio: 1 };
}

function timesOf(unit: string, n: number, read: Read): Times {
  const [one, two, four] = [1, 2, 4].map((times) => {
    const text = unit.repeat(n * times);
    return shortestMs(() => {
      read(text);
    });
  });
  return [one ?? 0, two ?? 0, four ?? 0];
}

/**
 * Returns the mean of both quotients if all three times can be compared, or else the larger one. A quadratic parser has
 * 4 in each. A linear one may have 3 in one of them: where its memory outgrows a cache or the heap's young generation.
 */
function ratioOf(one: number, two: number, four: number): number {
  const larger = Math.max(quotient(one, two), quotient(two, four));
  return one < MIN_COMPARABLE_MS / 4 ? larger : Math.min(larger, Math.sqrt(four / one));
}

function quotient(small: number, large: number): number {
  return large < MIN_COMPARABLE_MS ? 1 : large / Math.max(small, MIN_COMPARABLE_MS / 4);
}

function shortestMs(act: () => void): number {
  let shortest = Infinity;
  for (let i = 0; i < REPEATS; i++) {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    shortest = Math.min(shortest, (user + system) / 1000);
    // A short time needs no repetition.
    if (shortest < MIN_COMPARABLE_MS / 4) break;
  }
  return shortest;
}
