import { describe, expect, test } from "vitest";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type { GateOutcome } from "@/node/services/gauntlet/domain/gate";
import { endedBy, LimitFailures } from "@/node/services/gauntlet/run/LimitFailures";
import { checkGate, gateResult } from "@test/helpers/gauntlet/runParts";

const live = new AbortController().signal;
const aborted = AbortSignal.abort();
const START: RunEvent = {
  type: "gate-start",
  job: { id: "check:.:lint", entryPoint: ".", gate: checkGate("lint"), logName: "_lint" },
  logPath: "/logs/check__lint.1.log",
};

test.each<[string, AbortSignal | undefined, AbortSignal | undefined, string | undefined]>([
  ["nothing, without a signal", undefined, undefined, undefined],
  ["nothing, before the signal", live, live, undefined],
  ["the limit", undefined, aborted, "limit"],
  ["the limit, although a person could have", live, aborted, "limit"],
  ["a person", aborted, aborted, "person"],
])("a run was ended by %s (G27c, G28)", (_, person, signal, by) => {
  expect(endedBy(person === undefined ? {} : { signal: person }, signal)).toBe(by);
});

describe("a gate of a run that its time limit ended (G27c)", () => {
  const settle = (id: string, outcome: GateOutcome, events: RunEvent[], person?: AbortSignal) => {
    const limits = { limitMs: 1_260, ...(person === undefined ? {} : { signal: person }) };
    const failures = new LimitFailures(limits, aborted);
    const seen: RunEvent[] = [];
    const emit = failures.watch((event) => seen.push(event));
    for (const event of events) emit(event);
    expect(seen).toEqual(events);
    return failures.settle(gateResult(id, outcome));
  };
  const message =
    "did not end within 1.3 s, the time the Stop hook has; make the gate faster, or raise the time limit of the Stop hook";

  test("is a failed check if it was cancelled", () => {
    expect(settle("check:.:lint", "cancelled", [START])).toEqual({
      ...gateResult("check:.:lint", "failed"),
      ...{ message, overLimit: true },
    });
  });

  test("is a review without a reviewer if it was cancelled (G13)", () => {
    expect(settle("review:.:quality", "cancelled", [START])).toEqual({
      ...gateResult("review:.:quality", "error"),
      ...{ message, overLimit: true, unreachable: true },
    });
  });

  test.each<[string, GateOutcome, RunEvent[], AbortSignal | undefined]>([
    ["it had passed", "passed", [START], undefined],
    ["it had failed", "failed", [START], undefined],
    ["no gate had started", "cancelled", [], undefined],
    ["a person ended the run", "cancelled", [START], aborted],
  ])("stays as it is if %s", (_, outcome, events, person) => {
    const id = "check:.:lint";
    expect(settle(id, outcome, events, person)).toEqual(gateResult(id, outcome));
  });
});
