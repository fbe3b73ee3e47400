/** Random inputs that depend only on a seed. */

/** Returns a generator of numbers in [0, 1); equal seeds give equal sequences (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class InputGenerator {
  readonly #next: () => number;

  constructor(
    seed: number,
    private readonly tokens: readonly string[],
    private readonly seeds: readonly string[]
  ) {
    this.#next = randomNumbers(seed);
  }

  /** Returns random characters, tokens of the grammar, a changed seed, or a token repeated many times. */
  make(): string {
    switch (this.#below(4)) {
      case 0:
        return this.#many(24, () => String.fromCodePoint(this.#codePoint()));
      case 1:
        return this.#many(40, () => this.#token());
      case 2:
        return this.#changed(this.seeds[this.#below(this.seeds.length)] ?? "");
      default:
        return `${this.#token()}${this.#token().repeat(this.#below(200))}${this.#token()}`;
    }
  }

  #changed(seed: string): string {
    let text = seed;
    for (let changes = 1 + this.#below(4); changes > 0; changes--) {
      const at = this.#below(text.length + 1);
      const end = this.#below(3) === 0 ? at + this.#below(12) : at;
      text = `${text.slice(0, at)}${this.#token()}${text.slice(end)}`;
    }
    return text;
  }

  #many(max: number, make: () => string): string {
    return Array.from({ length: this.#below(max) }, make).join("");
  }

  #token(): string {
    return this.tokens[this.#below(this.tokens.length)] ?? "";
  }

  #codePoint(): number {
    const limit = [0x20, 0x7f, 0xa0, 0x2100, 0x10_ffff][this.#below(5)] ?? 0x7f;
    return this.#below(limit);
  }

  #below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }
}
