import { expect, test } from "vitest";
import { findingsIn, type Finding } from "@/node/services/gauntlet/domain/findings/finding";
import { findingsDigest } from "@/node/services/gauntlet/domain/episode";
import * as formatFindings from "@/node/services/gauntlet/gates/findings/formatFindings";

const finding = (file: string, more: Partial<Finding> = {}): Finding => ({
  ...{ file, line: 1, severity: "error", message: "wrong" },
  ...more,
});

test("the digest is the same in any order, and differs for any other finding (G38)", () => {
  const [a, b] = [finding("a"), finding("b")];
  expect(findingsDigest([a, b])).toBe(findingsDigest([b, a]));
  expect(findingsDigest([a, b])).not.toBe(findingsDigest([a]));
  expect(findingsDigest([a])).not.toBe(findingsDigest([{ ...a, line: 2 }]));
  expect(findingsDigest([])).toBeUndefined();
  expect(findingsDigest(undefined)).toBeUndefined();
});

test("selects the findings in files (G36)", () => {
  const found = [finding("a"), finding("b"), { severity: "error", message: "no file" } as const];
  expect(findingsIn(found, (file) => file === "b")).toEqual([found[1]]);
  expect(findingsIn(undefined, () => true)).toEqual([]);
});

test("come in the order changed files, files with errors, errors, lines (G37)", () => {
  const found = [
    finding("old", { line: 9 }),
    finding("warned", { severity: "warning" }),
    finding("new", { severity: "warning", line: 1 }),
    finding("old", { line: 2 }),
    finding("new", { line: 5 }),
    finding("old", { line: 2 }),
  ];
  const ordered = formatFindings.orderFindings(found, (file) => file === "new");
  expect(ordered.map(({ file, line }) => `${file}:${line}`)).toEqual([
    ...["new:5", "new:1", "old:2", "old:9", "warned:1"],
  ]);
});

test("are on one line, without control characters (G37)", () => {
  const raw = { severity: "error", message: " a\n\tb\u001b[31m\u202e ", rule: "r\u0007" } as const;
  expect(formatFindings.cleanFinding(raw, "x\n.ts")).toEqual({
    ...{ file: "x\\n.ts", severity: "error" },
    ...{ rule: "r\\u0007", message: "a b\\u001b[31m\\u202e" },
  });
  expect(
    formatFindings.cleanFinding({ ...raw, message: "x".repeat(9_999) }, undefined).message
  ).toHaveLength(1_000);
});
