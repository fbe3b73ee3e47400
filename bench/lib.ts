/** What a benchmark found out, to be held against `budgets.json` under its id. */
export interface Figure {
  readonly id: string;
  /** What is claimed to be small, in words. */
  readonly claim: string;
  readonly value: number;
  readonly unit: "ratio" | "ms" | "MiB";
}

/** Each export of a `*.bench.ts` file. */
export type Benchmark = () => Promise<Figure | Figure[]>;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Milliseconds that something takes. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

export interface Comparison {
  readonly floor: () => Promise<unknown>;
  readonly ours: () => Promise<unknown>;
  readonly rounds: number;
}

/** Median times of both, in milliseconds. */
export interface Compared {
  readonly floor: number;
  readonly ours: number;
}

/**
 * Takes turns, floor first and ours first, so that whatever else the machine does hits both alike. The first tenth
 * warms up and does not count.
 */
export async function interleaved({ floor, ours, rounds }: Comparison): Promise<Compared> {
  const times = { floor: [] as number[], ours: [] as number[] };
  const warmUp = Math.ceil(rounds / 10);
  for (let round = -warmUp; round < rounds; round++) {
    const pair = round % 2 === 0 ? (["floor", "ours"] as const) : (["ours", "floor"] as const);
    for (const side of pair) {
      const ms = await timed(side === "floor" ? floor : ours);
      if (round >= 0) times[side].push(ms);
    }
  }
  return { floor: median(times.floor), ours: median(times.ours) };
}
