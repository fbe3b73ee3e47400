import { expect, test } from "vitest";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { CheckHistory } from "@/node/services/gauntlet/gates/CheckCache";

const result = (outcome: GateResult["outcome"], more: Partial<GateResult> = {}): GateResult => ({
  jobId: "check:.:a",
  kind: "check",
  gate: "a",
  entryPoint: ".",
  durationMs: 12.6,
  outcome,
  ...more,
});

function historyOf(...runs: (readonly [GateResult, string])[]): CheckHistory {
  const history = new CheckHistory();
  for (const [run, tree] of runs) history.add(run, tree);
  return history;
}

test("names a check with different outcomes for the same tree (G36)", () => {
  const history = historyOf(
    [result("failed"), "tree-1"],
    [result("passed"), "tree-1"],
    [result("passed"), "tree-1"],
    [result("failed"), "tree-2"]
  );
  expect(history.unstable).toEqual([{ jobId: "check:.:a", passed: 2, failed: 1 }]);
});

test("names a check that was flaky in one run (G36)", () => {
  const history = historyOf([result("passed", { flaky: true }), "tree-1"]);
  expect(history.unstable).toEqual([{ jobId: "check:.:a", passed: 1, failed: 1 }]);
});

test("does not name a check whose outcome changed with the tree (G36)", () => {
  const history = historyOf([result("failed"), "tree-1"], [result("passed"), "tree-2"]);
  expect(history.unstable).toEqual([]);
});

test("ignores reviews, cached results, and checks that did not end", () => {
  const history = historyOf(
    [result("failed", { kind: "review" }), "t"],
    [result("passed", { cachedSince: "2026-01-02T12:00:00.000Z" }), "t"],
    [result("cancelled"), "t"],
    [result("error"), "t"],
    [result("failed", { overLimit: true }), "t"]
  );
  expect(history.entries).toEqual([]);
  expect(history.isChanged).toBe(false);
});

test("keeps 20 outcomes of a check, and 500 checks", () => {
  const history = new CheckHistory();
  for (let i = 0; i < 25; i++) history.add(result("passed"), `tree-${i}`);
  expect(history.entries[0]?.[1].outcomes.map(([tree]) => tree).at(0)).toBe("tree-5");
  for (let i = 0; i < 500; i++) history.add(result("failed", { jobId: `check:.:n${i}` }), "t");
  expect(history.entries).toHaveLength(500);
  expect(history.hasFailed("check:.:a")).toBe(false);
  expect(history.hasFailed("check:.:n499")).toBe(true);
});
