/** The short run of `make fuzz`. */
import { describe, expect, test } from "vitest";
import { KIB } from "@/common/limits";
import { fuzz, isTooSteep, measureProduction, productionsOf } from "@test/fuzz/fuzz";
import { PARSERS } from "@test/fuzz/parsers";

const INPUTS = 100;
const SLOW_INPUTS = 10;
const GROWTHS = 2;
const MAX_CHARS = 32 * KIB;

describe.each(PARSERS)("the parser of $name", (parser) => {
  test("returns in time for the corpus and for random inputs (H20a)", () => {
    expect(fuzz(parser, parser.isSlow === true ? SLOW_INPUTS : INPUTS, 13)).toEqual([]);
  });

  test("takes time in proportion to its input (H20a)", () => {
    const productions = productionsOf(parser);
    const step = Math.max(1, Math.ceil(productions.length / GROWTHS));
    const measured = productions
      .filter((_, i) => i % step === 0)
      .map((production) => ({
        ...production,
        growth: measureProduction(parser, production, MAX_CHARS),
      }));
    expect(measured.filter(isTooSteep)).toEqual([]);
  });
});
