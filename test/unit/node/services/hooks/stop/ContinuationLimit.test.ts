import { beforeEach, expect, test } from "vitest";
import { ContinuationLimit } from "@/node/services/hooks/stop/sessionState";
import type { HookRun, StopHooksResult } from "@/node/services/hooks/contract/types";

const run = (fields: Partial<HookRun>): HookRun => ({
  name: "project:Stop[0]",
  title: "check.sh",
  event: "Stop",
  type: "command",
  layer: "project",
  startedAt: "2026-01-01T00:00:00.000Z",
  durationMs: 1,
  outcome: "block",
  reason: "Run the tests\nall of them",
  warnings: [],
  notes: [],
  stdoutBytes: 0,
  stderrBytes: 0,
  ...fields,
});

const asking = (...runs: Partial<HookRun>[]): StopHooksResult => ({
  shouldStop: false,
  runs: runs.map(run),
});

let guard: ContinuationLimit;
beforeEach(() => {
  guard = new ContinuationLimit();
});

test("counts each continuation, until it rejects one with the names of the blocking hooks (H26)", () => {
  const result = asking({});
  expect(guard.tryContinue(result, 2)).toBeUndefined();
  expect(guard.tryContinue(result, 2)).toBeUndefined();
  expect(guard.continuations).toBe(2);
  expect(guard.tryContinue(result, 2)).toMatch(
    /after 2 continuations.*project:Stop\[0\] \(check\.sh\): Run the tests$/
  );
  expect(guard.continuations).toBe(2);
});

test("remembers only the hooks that blocked or gave feedback last", () => {
  guard.tryContinue(asking({ name: "a", outcome: "feedback" }, { name: "b", outcome: "pass" }), 3);
  expect(guard.continuations).toBe(1);
  expect([...guard.blockingHooks]).toEqual(["a"]);
  guard.tryContinue(asking({ name: "b" }), 3);
  expect([...guard.blockingHooks]).toEqual(["b"]);
});

test("remembers a failed launch that has blocked until the next turn, which forgets everything (H19a, H25)", () => {
  guard.tryContinue(asking({ launchFailure: "f1" }, { outcome: "failed", launchFailure: "f2" }), 3);
  expect([...guard.launchFailures]).toEqual(["f1"]);
  guard.reset();
  expect([guard.launchFailures.size, guard.blockingHooks.size, guard.continuations]).toEqual([
    0, 0, 0,
  ]);
});

test("uses the higher of the counts in memory and in the transcript (H27)", () => {
  guard.restore(2);
  expect(guard.continuations).toBe(2);
  guard.restore(1);
  expect(guard.continuations).toBe(2);
});

test.each([Number.NaN, -1, 0])("does not restore a count of %d (H27)", (continuations) => {
  guard.tryContinue(asking({}), 2);
  guard.restore(continuations);
  expect(guard.continuations).toBe(1);
});

test("allows no continuation after an infinite count (H27)", () => {
  guard.restore(Infinity);
  expect(guard.tryContinue(asking({}), 2)).toMatch(/after 2 continuations/);
});
