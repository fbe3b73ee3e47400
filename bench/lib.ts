/** The result of a benchmark, which is compared with the budget of its id in `budgets.json`. */
export interface Figure {
  readonly id: string;
  /** A description of the value that is claimed to be small. */
  readonly claim: string;
  readonly value: number;
  readonly unit: "ratio" | "ms" | "MiB" | "processes" | "sessions";
}

/** The type of each export of a `*.bench.ts` file. */
export type Benchmark = () => Promise<Figure | Figure[]>;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Returns the duration of `act` in milliseconds. */
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

/** The median times of both, in milliseconds. */
export type Compared = Record<"floor" | "ours", number>;

export function interleaved({ floor, ours, rounds }: Comparison): Promise<Compared> {
  return inTurns({ floor, ours }, rounds);
}

/**
 * Returns the median time of each side in milliseconds. The sides alternate, in order and in reverse, so that other
 * load on the machine affects all of them equally. A tenth more rounds run first as a warm-up that does not count.
 * `before` runs each time and is not measured.
 */
export async function inTurns<K extends string>(
  sides: Readonly<Record<K, () => Promise<unknown>>>,
  rounds: number,
  before?: () => Promise<unknown>
): Promise<Record<K, number>> {
  const names = Object.keys(sides) as K[];
  const times = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      await before?.();
      const ms = await timed(sides[name]);
      if (round >= 0) times.get(name)?.push(ms);
    }
  }
  const medians = names.map((name) => [name, median(times.get(name) ?? [])]);
  return Object.fromEntries(medians) as Record<K, number>;
}
