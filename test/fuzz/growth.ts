/** Measures how the CPU time of a parser grows with its input (H20a). */

export interface Growth {
  /** Milliseconds of CPU for n, 2n and 4n repetitions. */
  readonly ms: readonly [number, number, number];
  /** The larger of the two quotients, or 1 if the times are too short to compare. */
  readonly ratio: number;
}

export const MAX_RATIO = 2.5;
/** Below this time the result depends on timer resolution, garbage collection and other processes. */
const MIN_COMPARABLE_MS = 40;
const REPEATS = 3;
const ATTEMPTS = 6;

/**
 * Repeats `unit` so that the largest input has about `maxChars`. Other work on the machine can only add time, so the
 * shortest of several times counts, and a bad ratio is measured again.
 */
export function measureGrowth(
  unit: string,
  maxChars: number,
  run: (repeated: string) => void
): Growth {
  const n = Math.max(1, Math.floor(maxChars / 4 / unit.length));
  let best: Growth | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [one, two, four] = [1, 2, 4].map((times) => {
      const text = unit.repeat(n * times);
      return shortestMs(() => {
        run(text);
      });
    }) as [number, number, number];
    const ratio = Math.max(quotient(one, two), quotient(two, four));
    if (best === undefined || ratio < best.ratio) best = { ms: [one, two, four], ratio };
    if (best.ratio < MAX_RATIO) return best;
  }
  return best ?? { ms: [0, 0, 0], ratio: 1 };
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
