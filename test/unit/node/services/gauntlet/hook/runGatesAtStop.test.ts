import { newRuntime } from "@test/helpers/localRuntime";
import { decideStop } from "@/node/services/gauntlet/hook/decideStop";
import { expect, test, vi } from "vitest";
import { nextEligible } from "@/node/services/gauntlet/hook/runGatesAtStop";
import { NO_STATE, type ExecutionState } from "@/node/services/gauntlet/state/executionState";

const NOW = new Date("2026-01-01T12:00:00Z");
const ARMED: ExecutionState = {
  ...NO_STATE,
  last_run_completed_at: "2026-01-01T11:58:00Z",
  status: "passed",
  partial: false,
  open: [],
  gates_run: 1,
  branch: "work",
};
const due = (state: Partial<ExecutionState>): Date | undefined =>
  nextEligible({ ...ARMED, ...state }, { intervalMinutes: 10, now: NOW, branch: "work" });

test("a full run that passed a moment ago delays the next run by the interval, also by its time alone if it has no status (G3, G16)", () => {
  expect(due({})).toEqual(new Date("2026-01-01T12:08:00Z"));
  const old = { status: undefined, open: ["x"], gates_run: undefined, branch: "other" };
  expect(due(old)).toEqual(new Date("2026-01-01T12:08:00Z"));
});

test.each<[string, Partial<ExecutionState>]>([
  ["a partial run", { partial: true }],
  ["an unresolved gate", { open: ["check:src:ok"] }],
  ["a run without gates", { gates_run: 0 }],
  ["a run whose gates are not counted", { gates_run: undefined }],
  ["another branch", { branch: "other" }],
  ["a failure", { status: "failed" }],
  ["a limit that was reached", { status: "retry_limit_exceeded" }],
  ["a time in the future", { last_run_completed_at: "2026-01-01T12:00:01Z" }],
  ["an elapsed interval", { last_run_completed_at: "2026-01-01T11:50:00Z" }],
  ["no time", { last_run_completed_at: undefined }],
])("%s does not delay the next run (G3)", (_, state) => {
  expect(due(state)).toBeUndefined();
});

test("an unexpected failure is an error, and the agent may stop (G24)", async () => {
  const runtime = newRuntime();
  vi.spyOn(runtime, "stat").mockImplementation(() => {
    throw new Error("broken");
  });
  const { result, personMessage, verifies } = await decideStop({
    ...{ runtime, cwd: "/project", home: "/home", env: {}, now: () => NOW, limitMs: 1_000 },
    ...{ stopHookActive: false, verify: true, beginsTurn: false },
  });
  expect({ status: result.status, verifies }).toEqual({ status: "error", verifies: false });
  expect(personMessage).toContain("broken; the changes were not verified");
});
