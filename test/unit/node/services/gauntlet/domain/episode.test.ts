import { expect, test } from "vitest";
import {
  episodeAfter,
  isExhausted,
  NEW_EPISODE,
  statusOf,
  type Episode,
} from "@/node/services/gauntlet/domain/episode";
import type { GateOutcome, GateResult } from "@/node/services/gauntlet/domain/gate";

const result = (jobId: string, outcome: GateOutcome): GateResult => ({
  jobId,
  kind: "check",
  gate: jobId,
  entryPoint: ".",
  outcome,
  durationMs: 1,
});

/** Plays whole runs with these outcomes of gate `a`, and answers each status. */
function play(outcomes: GateOutcome[], maxRetries: number): string[] {
  let episode: Episode = NEW_EPISODE;
  return outcomes.map((outcome) => {
    if (isExhausted(episode, maxRetries)) return "nothing runs";
    const run = { results: [result("a", outcome)], whole: true };
    episode = episodeAfter(episode, run);
    return statusOf(run, episode, maxRetries);
  });
}

test("the last allowed failure is the retry limit, and then nothing runs (G19)", () => {
  expect(play(["failed", "failed", "failed"], 1)).toEqual([
    "failed",
    "retry_limit_exceeded",
    "nothing runs",
  ]);
});

test("a pass begins a new episode (G19a)", () => {
  expect(play(["failed", "passed", "failed", "failed"], 1)).toEqual([
    "failed",
    "passed",
    "failed",
    "retry_limit_exceeded",
  ]);
});

test("a gate that could do nothing is no pass (G19a)", () => {
  expect(play(["error"], 3)).toEqual(["failed"]);
});

test("a partial run closes nothing, counts nothing, but opens what it finds (G20a)", () => {
  const open: Episode = { attempt: 1, open: ["a"] };
  const run = { whole: false };
  const passed = { ...run, results: [result("a", "passed")] };
  expect(episodeAfter(open, passed)).toEqual(open);
  const failed = { ...run, results: [result("b", "failed")] };
  expect(episodeAfter(open, failed)).toEqual({ attempt: 1, open: ["a", "b"] });
  expect(statusOf(failed, episodeAfter(open, failed), 0)).toBe("failed");
});

test("what was interrupted is not verified, counts as no attempt, and stays open (§1)", () => {
  const run = {
    results: [result("a", "cancelled"), result("b", "passed")],
    whole: true,
  };
  for (const ended of ["person", "limit"] as const) {
    const after = episodeAfter(NEW_EPISODE, { ...run, ended });
    expect(after).toEqual({ attempt: 0, open: ["a"] });
    expect(statusOf({ ...run, ended }, after, 3)).toBe("infrastructure_error");
  }
});

test("a gate that had failed before the run's own limit counts as failed, before a person's interrupt not (G28, §1)", () => {
  const run = { results: [result("a", "failed"), result("b", "cancelled")], whole: true };
  const late = { ...run, ended: "limit" } as const;
  expect(episodeAfter(NEW_EPISODE, late)).toEqual({ attempt: 1, open: ["a", "b"] });
  expect(statusOf(late, episodeAfter(NEW_EPISODE, late), 3)).toBe("failed");
  const interrupted = { ...run, ended: "person" } as const;
  expect(episodeAfter(NEW_EPISODE, interrupted)).toEqual({ attempt: 0, open: ["a", "b"] });
  expect(statusOf(interrupted, episodeAfter(NEW_EPISODE, interrupted), 3)).toBe(
    "infrastructure_error"
  );
});

test("a failure of an earlier run that nothing settled is still a failure (G19a)", () => {
  const before: Episode = { attempt: 1, open: ["a", "b"] };
  const run = { results: [result("a", "passed")], whole: true };
  const after = episodeAfter(before, run);
  expect(after).toEqual({ attempt: 2, open: ["b"] });
  expect(statusOf(run, after, 3)).toBe("failed");
});
