import { describe, expect, test } from "vitest";
import { CheckHistory } from "@/node/services/gauntlet/gates/CheckCache";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import * as limits from "@/node/services/gauntlet/run/execute/overTimeLimit";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { checkGate, gateResult, reviewGate } from "@test/helpers/gauntlet/runParts";

const live = new AbortController().signal;
const aborted = AbortSignal.abort();
const JOB = "check:.:lint";
const LIMIT_MS = 290_000;
const STOP = { session: "s", turn: "t", failed: 0, byLimit: false };

const jobOf = (gate: Job["gate"]): Job => ({
  ...{ id: `${gate.kind}:.:${gate.name}`, entryPoint: ".", gate, logName: `_${gate.name}` },
});
const LINT = jobOf(checkGate("lint"));

test.each<[string, AbortSignal | undefined, AbortSignal | undefined, string | undefined]>([
  ["nothing, without a signal", undefined, undefined, undefined],
  ["nothing, before the signal", live, live, undefined],
  ["the limit", undefined, aborted, "limit"],
  ["the limit, although a person could have", live, aborted, "limit"],
  ["a person", aborted, aborted, "person"],
])("a run was ended by %s (G27c, G28)", (_, person, signal, by) => {
  expect(limits.endedBy(person === undefined ? {} : { signal: person }, signal)).toBe(by);
});

describe("a gate of a run that its time limit ended (G27c)", () => {
  const settle = (job: Job, durationMs: number, passes: readonly number[] = []) => {
    const history = new CheckHistory();
    for (const ms of passes) history.add(gateResult(JOB, "passed", { durationMs: ms }), "tree");
    const cancelled = gateResult(job.id, "cancelled", { durationMs });
    return limits.settleOverLimit(job, cancelled, LIMIT_MS, history);
  };
  const late = "did not end within 290 s, the time the Stop hook has";
  const unreached = "was not reached within 290 s, the time the Stop hook has";

  test.each<[string, Job, number, number[], string]>([
    ["it has never passed", LINT, LIMIT_MS, [], late],
    ["its usual time is more than a third", LINT, LIMIT_MS, [1_000, 97_000, 1_000], late],
    ["it started late", LINT, 144_000, [1_000], late],
    ["it was waiting", LINT, 0, [1_000], unreached],
    ["it gets files", jobOf(checkGate("lint", { command: "l {files}" })), LIMIT_MS, [1], late],
    ["it gets a base", jobOf(checkGate("lint", { command: "l {base}" })), LIMIT_MS, [1], late],
    ["it is a review (G13)", jobOf(reviewGate("quality")), LIMIT_MS, [1_000], late],
  ])("is not verified if %s", (_, job, durationMs, passes, message) => {
    expect(settle(job, durationMs, passes)).toEqual({
      ...gateResult(job.id, "error", { durationMs }),
      ...{ message, overLimit: true, unreachable: true },
    });
  });

  test("has failed if it takes three times as long as its last passes", () => {
    expect(settle(LINT, LIMIT_MS, [400_000, 12_500, 96_001, 3, 4, 5])).toEqual({
      ...gateResult(JOB, "failed", { durationMs: LIMIT_MS }),
      ...{ message: `${late}; it usually ends within 97 s`, overLimit: true },
    });
  });
});

describe("a check that did not end at a stop (G27c)", () => {
  const options = { stop: STOP, limitMs: LIMIT_MS };
  const over = gateResult(JOB, "error", { overLimit: true, durationMs: LIMIT_MS });
  const once = limits.lateAfter({}, options, [over], [LINT]);
  const twice = limits.lateAfter({ late: once }, options, [over], [LINT]);

  test("is not started after the second one in a row", () => {
    expect(limits.notStartedAgain(LINT, options, { late: once })).toBeUndefined();
    const again = { ...options, limitMs: LIMIT_MS - 3_000 };
    expect(limits.notStartedAgain(LINT, again, { late: twice })).toMatchObject({
      ...{ outcome: "error", unreachable: true, overLimit: true },
      message: "was not started, because it did not end within 290 s at the last two stops",
    });
  });

  test.each<[string, Partial<Pick<RunOptions, "stop" | "limitMs">>, Job]>([
    ["in a run by hand", {}, LINT],
    ["if the limit was raised", { stop: STOP, limitMs: 890_000 }, LINT],
    ["if its definition changed", options, jobOf(checkGate("lint", { command: "lint --fast" }))],
  ])("is started again %s", (_, changed, job) => {
    expect(limits.notStartedAgain(job, changed, { late: twice })).toBeUndefined();
  });

  test.each<
    [string, Parameters<typeof limits.lateAfter>[1], Parameters<typeof gateResult>[2], number]
  >([
    ["keeps its count if it was not started", options, { durationMs: 0, overLimit: true }, 2],
    ["keeps its count if a run by hand was interrupted", {}, { outcome: "cancelled" }, 2],
    ["keeps its count if it hangs", options, { outcome: "failed", overLimit: true }, 2],
    ["has no count after a run by hand", {}, { outcome: "failed" }, 0],
    ["has no count after a stop at which it ended", options, { outcome: "passed" }, 0],
    ["begins a new count with another limit", { ...options, limitMs: 890_000 }, over, 1],
  ])("%s", (_, run, more, stops) => {
    const after = limits.lateAfter({ late: twice }, run, [gateResult(JOB, "error", more)], [LINT]);
    expect(after[JOB]?.stops ?? 0).toBe(stops);
  });

  test("has a count for its definition", () => {
    expect(twice).toEqual({
      [JOB]: { definition: definitionOf(LINT.gate), limitMs: LIMIT_MS, stops: 2 },
    });
  });
});
