import { describe, expect, test } from "vitest";
import type * as reviews from "@/node/services/gauntlet/domain/reviewViolations";
import {
  reconcileViolations,
  type ReconcileOptions,
  type Placement,
  isTouched,
  placeViolation,
} from "@/node/services/gauntlet/reviews/violations/reconcileViolations";

const KNOWN: reviews.TrackedViolation = {
  id: "00000001",
  file: "src/a.ts",
  line: 3,
  issue: "It leaks",
  priority: "high",
  status: "new",
};

type Said = reviews.Violation & { id?: string };
function said(more: Partial<Said> = {}): Said {
  return { file: "src/a.ts", line: 9, issue: "other", priority: "high", ...more };
}

function hearing(more: Partial<ReconcileOptions> = {}): ReconcileOptions {
  return {
    place: ({ file }): Placement => ({ kind: "inside", file: file.replace(/^b\/(?=src)/, "") }),
    isRerun: true,
    threshold: "high",
    key: "review:.:cq@1#2",
    at: "tree 2",
    isConfirmed: () => true,
    isNamedFixed: () => false,
    ...more,
  };
}

const fixed: reviews.TrackedViolation = { ...KNOWN, status: "fixed", result: "done" };
const skipped: reviews.TrackedViolation = { ...KNOWN, status: "skipped", result: "it is meant" };

describe("a violation that is marked as fixed (G14a)", () => {
  test("is fixed if the answer does not mention it", () => {
    expect(reconcileViolations([fixed], [], hearing())).toMatchObject({
      violations: [],
      fixed: [fixed],
    });
  });

  test.each([
    ["its id", said({ id: KNOWN.id, file: "elsewhere", priority: "low" })],
    ["its file and line", said({ line: 3, priority: "low" })],
    ["its line as text, and a dot before the file", said({ line: " 3", file: "./src/a.ts" })],
    ["its file and text, in another case", said({ issue: "it  LEAKS", line: 40 })],
    ["its file as a diff names it", said({ file: "b/src/a.ts", line: 3 })],
  ])("is unresolved if the answer repeats %s", (_, mention) => {
    const verdict = reconcileViolations([fixed], [mention], hearing());
    expect(verdict).toMatchObject({ fixed: [], outside: [], dropped: [] });
    expect(verdict.violations).toMatchObject([{ id: KNOWN.id, issue: "It leaks", status: "new" }]);
  });

  test("is unresolved without a confirmation (G14a)", () => {
    const verdict = reconcileViolations([fixed], [], hearing({ isConfirmed: () => false }));
    expect(verdict).toMatchObject({ fixed: [], unconfirmed: [fixed] });
    expect(verdict.violations).toEqual([
      { ...fixed, status: "new", judged: "tree 2", unconfirmed: true },
    ]);
  });

  test.each([
    ["the same place", said({ id: KNOWN.id, line: 9 }), { line: 9, at: "tree 2" }],
    ["no line", said({ id: KNOWN.id, line: null }), { line: 3, at: "tree 1" }],
    ["another file", said({ id: KNOWN.id, file: "b.ts" }), { line: 3, at: "tree 1" }],
  ])("keeps its line and the tree of it if the answer repeats its id with %s", (_, one, place) => {
    const verdict = reconcileViolations([{ ...fixed, at: "tree 1" }], [one], hearing());
    expect(verdict.violations).toMatchObject([{ file: "src/a.ts", judged: "tree 2", ...place }]);
  });

  test("is fixed if another file has the same line", () => {
    const verdict = reconcileViolations([fixed], [said({ file: "src/b.ts", line: 3 })], hearing());
    expect(verdict.fixed).toEqual([fixed]);
    expect(verdict.violations).toMatchObject([{ file: "src/b.ts", status: "new" }]);
  });
});

test("a worse violation than an earlier one counts, and an unknown ID is not matched (G14)", () => {
  const worse = said({ line: 3, priority: "critical" });
  for (const known of [skipped, fixed, KNOWN])
    expect(reconcileViolations([known], [worse], hearing()).violations).toHaveLength(2);
  expect(
    reconcileViolations([skipped], [said({ id: KNOWN.id })], hearing()).violations
  ).toHaveLength(2);
});

test("another violation at the line of an earlier one is left out, and the user sees it (G14)", () => {
  const other = said({ line: 3 });
  const answer = [other, said({ line: 3, issue: "it leaks" })];
  for (const known of [skipped, KNOWN]) {
    const { violations, hidden } = reconcileViolations([known], answer, hearing());
    expect([violations, hidden]).toEqual([[known], [other]]);
  }
});

test("another violation at the line of one that the reviewer lists as fixed is new (G14a)", () => {
  const options = hearing({ isNamedFixed: (id) => id === KNOWN.id });
  const verdict = reconcileViolations([fixed], [said({ line: 3 })], options);
  expect(verdict).toMatchObject({ fixed: [fixed], violations: [{ issue: "other" }] });
  for (const again of [{ line: 3, issue: "it leaks" }, { id: KNOWN.id }])
    expect(reconcileViolations([fixed], [said(again)], options).fixed).toEqual([]);
});

test("a violation that is marked as fixed may have moved, and counts at its new position (G14a)", () => {
  const moved = said({ file: "src/b.ts", issue: "it leaks", priority: "low" });
  const { violations, dropped } = reconcileViolations([fixed], [moved], hearing());
  expect(violations).toMatchObject([{ id: KNOWN.id, file: "src/b.ts", line: 9, status: "new" }]);
  expect(dropped).toEqual([]);
  // The violation in the other file was known already.
  const other = { ...KNOWN, id: "00000002", file: "src/b.ts", line: 9 };
  expect(reconcileViolations([fixed, other], [moved], hearing()).violations).toEqual([other]);
});

test.each([["new", KNOWN] as const, ["skipped", skipped] as const])(
  "a %s violation stays unchanged, whether or not it is repeated at another priority (G14)",
  (_, known) => {
    const again = { line: 3, issue: "it leaks", priority: "critical" } as const;
    for (const answer of [[], [said(again)], [said({ ...again, line: 9 })], [said({ line: 3 })]]) {
      expect(reconcileViolations([known], answer, hearing()).violations).toEqual([known]);
    }
  }
);

describe("a new violation", () => {
  test.each<[reviews.Priority, reviews.Priority, boolean, number]>([
    ["critical", "high", true, 1],
    ["high", "high", true, 1],
    ["medium", "high", true, 0],
    ["low", "medium", true, 0],
    ["low", "low", true, 1],
    ["low", "high", false, 1],
  ])("%s at %s in a rerun (%s) counts %i times (G14)", (priority, threshold, isRerun, count) => {
    const options = hearing({ threshold, isRerun });
    const verdict = reconcileViolations([], [said({ priority })], options);
    expect(verdict.violations).toHaveLength(count);
    expect(verdict.dropped).toHaveLength(1 - count);
  });

  test.each<[reviews.Priority, boolean, object]>([
    ["critical", false, { violations: [{ outside: true }], outside: [] }],
    ["high", false, { violations: [{ outside: true }], outside: [] }],
    ["medium", false, { violations: [], outside: [{ issue: "other", priority: "medium" }] }],
    ["low", true, { violations: [{ priority: "low", unplaced: true }], outside: [] }],
  ])("%s outside of the change, affected: %s (G12)", (priority, isAffected, expected) => {
    const options = hearing({ place: () => ({ kind: "elsewhere" }), isRerun: false });
    const verdict = reconcileViolations([], [{ ...said({ priority }), isAffected }], options);
    expect(verdict).toMatchObject({ ...expected, dropped: [] });
  });

  test("is kept and labeled if its position is unknown (G12)", () => {
    const options = hearing({ place: () => ({ kind: "unplaced" }) });
    const answer = [said({ file: "./src/a.ts", line: null })];
    const verdict = reconcileViolations([], answer, options);
    expect(verdict.violations).toMatchObject([{ file: "src/a.ts", unplaced: true }]);
  });

  test("is merged only with an equal one, and gets its own ID, not one that a reviewer made up", () => {
    const inDiff = said({ file: "b/src/a.ts", id: "mine" });
    const answer = [inDiff, said(), said({ issue: "more" }), said({ line: 10 }), inDiff];
    const { violations } = reconcileViolations([], answer, hearing());
    expect(violations.map(({ line, issue }) => [line, issue])).toEqual([
      [9, "other"],
      [9, "more"],
      [10, "other"],
    ]);
    expect(new Set(violations.map(({ id }) => id)).size).toBe(3);
    expect(violations[0]?.id).toMatch(/^[0-9a-f]{8}$/);
  });
});

const FILES: readonly reviews.DiffFile[] = [
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
  ["/home/you/project/src/a.ts", 5, "unplaced"],
  ["", 5, "unplaced"],
])("%s at %s is %s (G12)", (file, line, expected) => {
  expect(placeViolation({ file, line }, FILES).kind).toBe(expected);
});

test("returns the project's path inside the diff, and none in a file that the reviewer was not shown", () => {
  const inside = { kind: "inside", file: "src/a.ts" };
  expect(placeViolation({ file: "./b/src/a.ts", line: 5 }, FILES)).toEqual(inside);
  const unseen = placeViolation({ file: "src/seen.ts", line: 5 }, FILES, ["src/seen.ts"]);
  expect(unseen.kind).toBe("unplaced");
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
