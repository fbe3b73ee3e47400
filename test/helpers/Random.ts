import { randomNumbers } from "@test/fuzz/random";

/** A random number generator. Equal seeds give equal sequences. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  below(max: number): number {
    return (this.#next() * 2 ** 32) % max;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}
