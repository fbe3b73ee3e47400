/**
 * Runs `make fuzz`: a million inputs for each parser, and the growth of its time. `FUZZ_INPUTS`, `FUZZ_SEED` and
 * `FUZZ_PARSER` change that.
 */
import { KIB } from "@/common/limits";
import * as fuzzing from "@test/fuzz/fuzz";
import { randomNumbers } from "@test/fuzz/random";
import { PARSERS, type FuzzedParser } from "@test/fuzz/parsers";

const inputs = Number(process.env.FUZZ_INPUTS ?? 1_000_000);
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
const wanted = process.env.FUZZ_PARSER;
/** The share of inputs for slow parsers: a vm context costs a millisecond, and a bad pattern its whole limit. */
const SLOW_SHARE = 0.01;
const MAX_PAIR_CHARS = 32 * KIB;
/** A parser with more pairs of tokens gets so many of them, drawn by the seed. */
const MAX_PAIRS = 2_000;

function drawn<T>(all: readonly T[]): readonly T[] {
  if (all.length <= MAX_PAIRS) return all;
  const next = randomNumbers(seed);
  return Array.from({ length: MAX_PAIRS }, () => all[Math.floor(next() * all.length)]!);
}

function fuzzParser(parser: FuzzedParser): boolean {
  const start = performance.now();
  const count = Math.ceil(inputs * (parser.isSlow === true ? SLOW_SHARE : 1));
  const finds = fuzzing.fuzz(parser, count, seed);
  for (const find of finds) console.log(`  ${fuzzing.keepFind(parser, find)}: ${find.problem}`);
  const measured = [
    ...fuzzing.productionsOf(parser).map((production) => ({
      ...production,
      growth: fuzzing.measureProduction(parser, production),
    })),
    ...drawn(fuzzing.pairsOf(parser)).map((production) => ({
      ...production,
      growth: fuzzing.measureProduction(parser, production, MAX_PAIR_CHARS),
    })),
  ];
  const steep = measured.filter(fuzzing.isTooSteep);
  for (const { unit, frame, growth } of steep) {
    console.log(
      `  ${JSON.stringify({ unit, frame })} grows by ${growth.ratio.toFixed(2)}: ${growth.ms.join(", ")} ms`
    );
  }
  const slowest = measured.reduce((a, b) => (b.growth.ms[2] > a.growth.ms[2] ? b : a));
  const cells = [
    parser.name.padEnd(20),
    String(count).padStart(9),
    String(finds.length).padStart(6),
    String(measured.length).padStart(7),
    ...slowest.growth.ms.map((ms) => ms.toFixed(1).padStart(8)),
    slowest.growth.ratio.toFixed(2).padStart(6),
    String(steep.length).padStart(6),
    `${((performance.now() - start) / 1000).toFixed(0)} s`.padStart(7),
  ];
  console.log(cells.join(""));
  return finds.length === 0 && steep.length === 0;
}

console.log(`seed ${seed}`);
console.log(
  "parser                 inputs finds growths     n ms   2n ms   4n ms  ratio steep   time"
);
const passed = PARSERS.filter(({ name }) => wanted === undefined || name === wanted).map(
  fuzzParser
);
process.exitCode = passed.every(Boolean) ? 0 : 1;
