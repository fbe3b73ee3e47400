import type { Rivals } from "./rivals";

/** The distribution of the values of all rounds. */
export interface Sample {
  /** The median. */
  readonly value: number;
  /** The lower and the upper quartile. */
  readonly p25: number;
  readonly p75: number;
  readonly rounds: number;
}

/** The result of a benchmark, which is compared with the budget of its id in `budgets.json`. */
export interface Figure extends Partial<Omit<Sample, "value">> {
  readonly id: string;
  /** A description of the value that is claimed to be small. */
  readonly claim: string;
  readonly value: number;
  readonly unit: "ratio" | "ms" | "MiB" | "processes" | "sessions";
  /** The median duration of each side in milliseconds. */
  readonly ms?: Readonly<Record<string, number>>;
  /** Explains other figures, and has no budget. */
  readonly isInformation?: boolean;
}

/** The version of Node to measure with, and the programs to compare with. */
export interface Context {
  /** The path of a `node` program. */
  readonly node: string;
  /** Undefined if no benchmark needs them, or if they could not be installed. */
  readonly rivals: Rivals | undefined;
}

/** An element of the array `benchmarks`, which each `*.bench.ts` file exports. */
export interface Benchmark {
  /** The ids of the figures, by which `BENCH_ONLY` selects. */
  readonly ids: readonly string[];
  /** Measures the command line, which is done with each version of Node. */
  readonly isPerNode?: boolean;
  /** Compares with other programs, which must be installed. */
  readonly needsRivals?: boolean;
  readonly measure: (context: Context) => Promise<Figure | Figure[]>;
}

/** Returns the value below which the share `q` of the values is, interpolated linearly. */
function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const lower = sorted[Math.floor(at)] ?? NaN;
  return lower + ((sorted[Math.ceil(at)] ?? NaN) - lower) * (at % 1);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function summarize(values: readonly number[]): Sample {
  return {
    value: median(values),
    p25: quantile(values, 0.25),
    p75: quantile(values, 0.75),
    rounds: values.length,
  };
}

/** Returns the duration of `act` in milliseconds. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** The durations of all sides in milliseconds, one record for each round. */
export class Turns<K extends string> {
  constructor(private readonly rounds: readonly Readonly<Record<K, number>>[]) {}

  /** Summarizes a value that is computed in each round, so that a slow round affects all sides of it. */
  each(valueOf: (round: Readonly<Record<K, number>>) => number): Sample {
    return summarize(this.rounds.map(valueOf));
  }

  /** The median duration of each side. */
  get ms(): Record<K, number> {
    const names = Object.keys(this.rounds[0] ?? {}) as K[];
    const medians = names.map((name) => [name, this.each((round) => round[name]).value]);
    return Object.fromEntries(medians) as Record<K, number>;
  }
}

/** Returns the ratio of two sides as a part of a figure. */
export function ratioOf(turns: Turns<"floor" | "ours">): Pick<Figure, "unit" | "ms"> & Sample {
  return { unit: "ratio", ...turns.each(({ ours, floor }) => ours / floor), ms: turns.ms };
}

/**
 * Measures each side once in each round. The sides alternate, in order and in reverse, so that other load on the machine
 * affects all of them equally. A tenth more rounds run first as a warm-up that does not count. `before` runs before each
 * measurement and is not measured.
 */
export async function inTurns<K extends string>(
  sides: Readonly<Record<K, () => Promise<unknown>>>,
  rounds: number,
  before?: (side: K) => Promise<unknown>
): Promise<Turns<K>> {
  const names = Object.keys(sides) as K[];
  const counted: Record<K, number>[] = [];
  for (let round = -Math.ceil(rounds / 10); round < rounds; round++) {
    const times = {} as Record<K, number>;
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      await before?.(name);
      times[name] = await timed(sides[name]);
    }
    if (round >= 0) counted.push(times);
  }
  return new Turns(counted);
}
