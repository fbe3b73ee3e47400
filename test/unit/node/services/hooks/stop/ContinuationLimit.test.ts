import { beforeEach, expect, test } from "vitest";
import { ContinuationLimit } from "@/node/services/hooks/stop/continuationLimit";
import type { HookRun, StopHooksResult } from "@/node/services/hooks/contract/types";
import { hookRun } from "@test/helpers/hooks/hookRun";

const asking = (...runs: Partial<HookRun>[]): StopHooksResult => ({
  shouldStop: false,
  runs: runs.map((fields) => hookRun({ outcome: "block", ...fields })),
});

let guard: ContinuationLimit;
beforeEach(() => {
  guard = new ContinuationLimit();
});

test("remembers only the hooks that blocked or gave feedback last", () => {
  guard.tryContinue(asking({ name: "a", outcome: "feedback" }, { name: "b", outcome: "pass" }), 3);
  expect(guard.continuations).toBe(1);
  expect([...guard.blockingHooks]).toEqual(["a"]);
  guard.tryContinue(asking({ name: "b" }), 3);
  expect([...guard.blockingHooks]).toEqual(["b"]);
});

test("uses the higher of the counts in memory and in the transcript, and none that is not one (H27)", () => {
  guard.restore(2);
  for (const continuations of [1, Number.NaN, -1, 0]) {
    guard.restore(continuations);
    expect(guard.continuations).toBe(2);
  }
});

test("allows no continuation after an infinite count (H27)", () => {
  guard.restore(Infinity);
  expect(guard.tryContinue(asking({}), 2)).toMatch(/after 2 continuations/);
});
