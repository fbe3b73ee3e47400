import { expect, test } from "vitest";
import type { SlotResult } from "@/node/services/gauntlet/domain/gate";
import { caveatOf } from "@/node/services/gauntlet/run/record/concludeRun";
import { gateResult } from "@test/helpers/gauntlet/runParts";

const UNSTABLE = "files changed again";

function slot(cut?: readonly string[]): SlotResult {
  const known = { slot: 1, reviewer: "codex", outcome: "passed", durationMs: 1 } as const;
  return { ...known, ...(cut === undefined ? {} : { cut }) };
}

/** Returns the caveat of reviews whose slots did not show these files whole. */
function caveatOfCuts(cuts: readonly (readonly string[] | undefined)[], unstable?: string) {
  const reviews = cuts.map((cut, i) =>
    gateResult(`review:.:quality${i}`, "passed", { slots: [slot(cut), slot()] })
  );
  return caveatOf([gateResult("check:.:lint"), ...reviews], {
    passed: true,
    unstable,
    fixed: new Map(),
    offers: [],
    skipped: [],
  });
}

test("returns undefined if files were stable and every reviewer saw them whole (G20d)", () => {
  expect(caveatOfCuts([undefined, []])).toBeUndefined();
  expect(caveatOfCuts([])).toBeUndefined();
});

test.each<[string, (readonly string[])[], string]>([
  ["one file", [["a.ts"]], "a.ts"],
  ["a file of two slots once", [["a.ts"], ["a.ts", "b.ts"]], "a.ts, b.ts"],
  ["three files", [["a", "b", "c"]], "a, b, c"],
  ["the first three of five files", [["a", "b", "c", "d"], ["e"]], "a, b, c and 2 more"],
  ["a line break as a visible character", [["a\nb"]], String.raw`a\nb`],
  ["a long name with an ellipsis", [["x".repeat(300)]], `${"x".repeat(199)}…`],
])("names %s that no reviewer saw whole (G20d)", (_, cuts, names) => {
  expect(caveatOfCuts(cuts)).toBe(
    `files that no reviewer saw in full, because of their size or a NUL byte: ${names}`
  );
});

test("reports files that changed again while the checks ran, and joins both reasons (G20c, G20d)", () => {
  expect(caveatOfCuts([], UNSTABLE)).toBe(UNSTABLE);
  expect(caveatOfCuts([["a.ts"]], UNSTABLE)).toBe(
    `${UNSTABLE}; files that no reviewer saw in full, because of their size or a NUL byte: a.ts`
  );
});
