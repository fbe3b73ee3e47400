import { expect, test } from "vitest";
import type { DiffFile } from "@/node/services/gauntlet/domain/review";
import { isTouched, placeViolation } from "@/node/services/gauntlet/reviews/violations/reconcile";

const FILES: readonly DiffFile[] = [
  {
    path: "src/a.ts",
    shown: "whole",
    ranges: [
      [3, 9],
      [20, 25],
    ],
    touched: [
      [5, 5],
      [8, 9],
    ],
  },
  { path: "src/cut.ts", shown: "cut", ranges: [[1, 9_999]], touched: [] },
  { path: "new.bin", shown: "named", ranges: [], touched: [] },
  { path: "to.ts", previousPath: "from.ts", shown: "whole", ranges: [], touched: [] },
  { path: "a/b.ts", shown: "whole", ranges: [[1, 1]], touched: [] },
  { path: "src/back\\slash", shown: "whole", ranges: [[1, 1]], touched: [] },
];

test.each<[string, number | string | null, string]>([
  ["src/a.ts", 3, "inside"],
  ["src/a.ts", 25, "inside"],
  ["src/a.ts", "20", "inside"],
  ["./src/a.ts", 5, "inside"],
  ["b/src/a.ts", 5, "inside"],
  ["a/b.ts", 1, "inside"],
  ["src\\a.ts", 5, "inside"],
  ["src/back\\slash", 1, "inside"],
  ["src/back\\\\slash", 1, "unplaced"],
  ['"b/src/a\\tb.ts"', 1, "unplaced"],
  ["src/a.ts", 10, "unplaced"],
  ["src/a.ts", 2, "unplaced"],
  ["src/other.ts", 5, "elsewhere"],
  ["src/a.ts", null, "unplaced"],
  ["src/a.ts", "3-9", "inside"],
  ["src/a.ts", "15-18", "unplaced"],
  ["src/a.ts", 0, "unplaced"],
  ["src/a.ts", 4.5, "unplaced"],
  ["src/cut.ts", 5, "unplaced"],
  ["new.bin", 1, "unplaced"],
  ["from.ts", 1, "unplaced"],
  ["to.ts", 1, "unplaced"],
  ["a.ts", 5, "unplaced"],
  ["SRC/A.TS", 5, "unplaced"],
  ["/home/you/project/src/a.ts", 5, "unplaced"],
  ["src/a.ts:5", 5, "unplaced"],
  ["", 5, "unplaced"],
  ["several files", 5, "unplaced"],
])("%s at %s is %s (G12)", (file, line, expected) => {
  expect(placeViolation({ file, line }, FILES).kind).toBe(expected);
});

test("returns the project's path for a violation inside the diff", () => {
  expect(placeViolation({ file: "./b/src/a.ts", line: 5 }, FILES)).toEqual({
    kind: "inside",
    file: "src/a.ts",
  });
});

test("is unplaced in a file of the change that the reviewer was not shown", () => {
  expect(placeViolation({ file: "src/seen.ts", line: 5 }, FILES, ["src/seen.ts"]).kind).toBe(
    "unplaced"
  );
});

test.each<[string, number | string | null, boolean]>([
  ["src/a.ts", 5, true],
  ["src/a.ts", 6, false],
  ["./src/a.ts", "6-8", true],
  ["src/a.ts", "6-7", false],
  ["src/a.ts", null, true],
  ["src/cut.ts", 3, true],
  ["to.ts", null, false],
  ["src/other.ts", 5, false],
])("whether a change touches %s at %s: %s (G14a)", (file, line, expected) => {
  expect(isTouched({ file, line }, FILES)).toBe(expected);
});
