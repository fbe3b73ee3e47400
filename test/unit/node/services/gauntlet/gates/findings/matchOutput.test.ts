/** Output is matched in parts, of which each may end in the middle of a problem (G37). */
import { describe, expect, test } from "vitest";
import { KIB } from "@/common/limits";
import type { OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";
import * as matchOutput from "@/node/services/gauntlet/gates/findings/matchOutput";
import { outputChunks, outputLines } from "@/node/services/gauntlet/gates/findings/outputLines";

describe("the parts of an output", () => {
  test("have all of its lines, and only some of them each (G37)", () => {
    const text = Array.from({ length: 9_000 }, (_, i) => `line ${i}  \r`).join("\n");
    const parts = [...outputChunks(text)];
    expect(parts.length).toBeGreaterThan(3);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(9_000 / 3);
    expect(parts.flat()).toEqual(outputLines(text));
  });

  test("have the last 200,000 lines of a longer one, and 4 KiB of each line (G37)", () => {
    const lines = [...outputChunks(`first\n${"y\n".repeat(199_999)}last`)].flat();
    expect(lines).toHaveLength(200_000);
    expect([lines[0], lines.at(-1)]).toEqual(["y", "last"]);
    expect([...outputChunks(`${"x".repeat(64 * KIB)}\nend`)].flat()).toEqual([
      "x".repeat(4 * KIB),
      "end",
    ]);
    expect([...outputChunks("")].flat()).toEqual([]);
  });
});

test("an output has more than is read if a reader stops, if it is too long, or if the patterns take too long (G46)", () => {
  const passed = (count: number, line: string): string[] => Array<string>(count).fill(line);
  const go = ["--- FAIL: TestA", ...passed(9_999, "--- PASS: TestB"), "FAIL\tm\t1s"];
  const ava = ["  ✘ [fail]: a", ...passed(10_000, "  ✔ b")];
  const hasMore = (format: OutputFormat, lines: readonly string[]) =>
    matchOutput.readTools([format], [lines])[0]?.hasMore;
  expect(hasMore("go", go)).toBe(true);
  expect(hasMore("go", [...go.slice(2), ...go.slice(2)])).toBe(false);
  expect(hasMore("ava", [...ava, "  ─"])).toBe(true);
  expect(hasMore("ava", ava)).toBe(false);
  expect(matchOutput.matchProjectPatterns([], [["a"]], 0).hasMore).toBe(true);
});

/** Returns parts of one line each. */
const apart = (lines: readonly string[]): string[][] => lines.map((line) => [line]);
const matchFormat = (format: OutputFormat, parts: readonly string[][]) =>
  matchOutput.readTools([format], parts).flatMap(({ found }) => found);

test("a problem of several lines may be in several parts (G37)", () => {
  const rustc = ["error[E1]: old", "error[E2]: wrong", "  --> a.rs:1:2", "  --> a.rs:3:4"];
  const found = [
    { severity: "error", rule: "E2", message: "wrong", file: "a.rs", line: 1, column: 2 },
  ];
  expect(matchFormat("rustc", [rustc])).toEqual(found);
  expect(matchFormat("rustc", apart(rustc))).toEqual(found);
  const eslint = [
    "/a.js",
    "  1:2  error  A  a",
    "  3:4  warning  B  b",
    "/b.js",
    "  5:6  error  C  c",
    "",
    "  7:8  error  D",
  ];
  const places = matchFormat("eslint-stylish", apart(eslint));
  expect(places.map(({ file, line }) => `${file}:${line}`)).toEqual([
    "/a.js:1",
    "/a.js:3",
    "/b.js:5",
  ]);
});

test("a pattern can begin again at each line of a problem that is not complete (G37)", () => {
  const part = (regexp: string, more = {}) => ({ regexp, ...more });
  const matcher = { pattern: [part("^a$"), part("^[ab]$"), part("^c(.)$", { message: 1 })] };
  const lines = ["a", "a", "b", "c1", "c2", "a", "a", "c3"];
  const { found } = matchOutput.matchProjectPatterns([matcher], apart(lines));
  expect(found.map(({ message }) => message)).toEqual(["1", "3"]);
});

test("the time limit of the patterns counts for all parts together (G37)", () => {
  const slow = { pattern: [{ regexp: "^(?:(x+)+|(y))$", message: 2 }] };
  const lines = ["y", ...Array<string>(100).fill(`${"x".repeat(24)}!`)];
  const { found, problem } = matchOutput.matchProjectPatterns([slow], apart(lines), 60);
  expect(found).toHaveLength(1);
  expect(problem).toContain("60 ms");
});
