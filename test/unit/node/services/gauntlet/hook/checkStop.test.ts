import { expect, test } from "vitest";
import { nextEligible } from "@/node/services/gauntlet/hook/checkStop";
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

test("a full run that passed a moment ago delays the next run by the interval (G3)", () => {
  expect(due({})).toEqual(new Date("2026-01-01T12:08:00Z"));
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

test("a state without a status counts by its time alone (G16)", () => {
  const old = { status: undefined, open: ["x"], gates_run: undefined, branch: "other" };
  expect(due(old)).toEqual(new Date("2026-01-01T12:08:00Z"));
});
