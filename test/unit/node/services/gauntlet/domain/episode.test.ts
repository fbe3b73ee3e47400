import { expect, test } from "vitest";
import {
  episodeAfter,
  NEW_EPISODE,
  statusOf,
  type Episode,
} from "@/node/services/gauntlet/domain/episode";
import type { GateOutcome, GateResult } from "@/node/services/gauntlet/domain/gate";
import { gateResult } from "@test/helpers/gauntlet/runParts";

const retries = (failed: number, byLimit = false) => ({
  ...{ failed, maxRetries: 1, byLimit, unchanged: 0 },
});

/** Returns the statuses of full runs of a Stop hook with these outcomes of gate `a`. */
function play(outcomes: GateOutcome[]): string[] {
  let episode: Episode = NEW_EPISODE;
  let failed = 0;
  return outcomes.map((outcome) => {
    const run = { results: [gateResult("a", outcome)], whole: true };
    episode = episodeAfter(episode, run);
    const status = statusOf(run, episode, retries(failed));
    failed = status === "passed" ? 0 : failed + 1;
    return status;
  });
}

const FAILED: GateOutcome[] = ["failed", "failed"];
const LIMIT = ["failed", "retry_limit_exceeded"];

test.each<[string, GateOutcome[], string[]]>([
  ["the retry limit at the last failure (G19)", FAILED, LIMIT],
  [
    "a new one after a pass (G19a)",
    ["failed", "passed", ...FAILED],
    ["failed", "passed", ...LIMIT],
  ],
  ["a failure for a gate that ended with an error (G19a)", ["error"], ["failed"]],
])("has %s", (_, outcomes, statuses) => {
  expect(play(outcomes)).toEqual(statuses);
});

test("never reports the retry limit for a run by hand (G19)", () => {
  const run = { results: [gateResult("a", "failed")], whole: true };
  expect(statusOf(run, { attempt: 9, unresolved: ["a"] })).toBe("failed");
});

test("reports the retry limit after two failures in a row by the time limit alone (G27c)", () => {
  const late = { ...gateResult("a", "failed"), overLimit: true };
  const after = { attempt: 1, unresolved: ["a"] };
  const by = (results: GateResult[], byLimit: boolean): string =>
    statusOf({ results, whole: true, ended: "limit" }, after, { ...retries(0, byLimit) });
  expect(by([late], false)).toBe("failed");
  expect(by([late], true)).toBe("retry_limit_exceeded");
  expect(by([late, gateResult("b", "failed")], true)).toBe("failed");
});

test("a partial run resolves no gate and counts no attempt, but keeps its failures unresolved (G20a)", () => {
  const open: Episode = { attempt: 1, unresolved: ["a"] };
  const run = { whole: false };
  const passed = { ...run, results: [gateResult("a", "passed")] };
  expect(episodeAfter(open, passed)).toEqual(open);
  const failed = { ...run, results: [gateResult("b", "failed")] };
  expect(episodeAfter(open, failed)).toEqual({ attempt: 1, unresolved: ["a", "b"] });
  expect(statusOf(failed, episodeAfter(open, failed))).toBe("failed");
});

test("an interrupted gate is not verified, counts no attempt, and stays unresolved (G3)", () => {
  const run = { results: [gateResult("a", "cancelled"), gateResult("b", "passed")], whole: true };
  for (const ended of ["person", "limit"] as const) {
    const after = episodeAfter(NEW_EPISODE, { ...run, ended });
    expect(after).toEqual({ attempt: 0, unresolved: ["a"] });
    expect(statusOf({ ...run, ended }, after)).toBe("infrastructure_error");
  }
});

test("a failure counts before the run's own limit, but not before a person's interrupt (G3, G28)", () => {
  const run = { results: [gateResult("a", "failed"), gateResult("b", "cancelled")], whole: true };
  const late = { ...run, ended: "limit" } as const;
  expect(episodeAfter(NEW_EPISODE, late)).toEqual({ attempt: 1, unresolved: ["a", "b"] });
  expect(statusOf(late, episodeAfter(NEW_EPISODE, late))).toBe("failed");
  const interrupted = { ...run, ended: "person" } as const;
  expect(episodeAfter(NEW_EPISODE, interrupted)).toEqual({ attempt: 0, unresolved: ["a", "b"] });
  expect(statusOf(interrupted, episodeAfter(NEW_EPISODE, interrupted))).toBe(
    "infrastructure_error"
  );
});

test("an unresolved failure of an earlier run is still a failure (G19a)", () => {
  const before: Episode = { attempt: 1, unresolved: ["a", "b"] };
  const run = { results: [gateResult("a", "passed")], whole: true };
  const after = episodeAfter(before, run);
  expect(after).toEqual({ attempt: 2, unresolved: ["b"] });
  expect(statusOf(run, after)).toBe("failed");
});
