import fc from "fast-check";
import { test } from "vitest";
import { PARSERS } from "@test/fuzz/parsers";

const { read, tokens } = PARSERS.find(({ name }) => name === "gauntlet YAML")!;

test("a file of any content is parsed or rejected, and each problem has a valid position (G5)", () => {
  const pieces = fc.array(fc.constantFrom(...tokens), { maxLength: 60 });
  fc.assert(
    fc.property(pieces, (all) => {
      read(all.join(""));
    }),
    { numRuns: 800 }
  );
});
