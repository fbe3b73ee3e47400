/** Tests with sequences of random acts. `SEQUENCES` sets their number, `SEED` repeats one, and `STORY` prints them. */
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { Random } from "@test/helpers/Random";

const { SEED, SEQUENCES, STORY } = process.env;

/**
 * Registers a test.
 *
 * @param usual number of sequences, which are the same ones at each run
 * @param play returns the acts, and whether something was wrong after the last one
 */
export function playSequences(
  name: (count: number) => string,
  { usual, eachMs = 150_000 }: { readonly usual: number; readonly eachMs?: number },
  play: (
    random: Random
  ) => Promise<{ readonly story: readonly string[]; readonly isWrong: boolean }>
): void {
  const count = Number(SEQUENCES ?? usual);
  const seedAt = (i: number): number => (SEQUENCES === undefined ? i + 1 : randomInt(2 ** 31));
  const seeds =
    SEED === undefined ? Array.from({ length: count }, (_, i) => seedAt(i)) : [Number(SEED)];
  test(name(seeds.length), { timeout: eachMs * seeds.length }, async () => {
    for (const seed of seeds) {
      const { story, isWrong } = await play(new Random(seed));
      if (STORY) console.log(seed, story.join(", "));
      expect(isWrong, `SEED=${seed}: the agent ${story.join(", ")}`).toBe(false);
    }
  });
}
