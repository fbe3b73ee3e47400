import { expect, test } from "vitest";
import { GateProgress } from "@/cli/gauntlet/render/gateProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { styleFor } from "@/cli/render/style";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { HandClock, HeadTailBuffer } from "@test/helpers/cliContext";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import { screen } from "@test/helpers/process/terminal";

function setUp(...jobs: Job[]) {
  const output = new HeadTailBuffer(true);
  const clock = new HandClock();
  const lines = new LiveLines(output, true);
  const progress = new GateProgress({ lines, clock, style: styleFor(output, { NO_COLOR: "1" }) });
  const hear = (event: RunEvent): void => {
    progress.onEvent(event);
  };
  return {
    clock,
    hear,
    plan: () => {
      hear({ type: "plan", jobs });
    },
    start: (job: Job) => {
      hear({ type: "gate-start", job, logPath: "/p/log" });
    },
    end: (job: Job, result: Partial<GateResult> = {}) => {
      hear({ type: "gate-end", result: resultFor(job, result) });
    },
    shown: () => screen(output.text).trimEnd().split("\n"),
  };
}

function resultFor({ id, entryPoint, gate }: Job, result: Partial<GateResult>): GateResult {
  const { kind, name } = gate;
  return {
    ...{ jobId: id, kind, gate: name, entryPoint, outcome: "passed", durationMs: 0 },
    ...result,
  };
}

const a = checkJob("true", { name: "a" });
const build = checkJob("true", { name: "build" });
const lint = checkJob("true", { name: "lint" });

test("shows that it looks for changes until the jobs are known", () => {
  const { clock, plan, shown } = setUp(a);
  expect(shown()).toEqual(["  ⠋ finding the changed files"]);
  clock.advance(100);
  expect(shown()).toEqual(["  ⠙ finding the changed files"]);
  plan();
  expect(shown()).toEqual(["  · check:.:a  waiting"]);
});

test("shows a gate as waiting, then as running with its time, then with its outcome (G30)", () => {
  const { clock, plan, start, end, shown } = setUp(a, build, lint);
  plan();
  start(build);
  clock.advance(1_300);
  start(lint);
  clock.advance(700);
  expect(shown()).toEqual([
    "  ⠋ check:.:build  running         2.0s",
    "  ⠋ check:.:lint   running        700ms",
    "  · check:.:a      waiting",
  ]);
  end(lint, { outcome: "failed", durationMs: 700, message: "Exited with code 3", logPath: "/l" });
  expect(shown()).toEqual([
    "  ✖ check:.:lint   failed         700ms  Exited with code 3",
    "      Log: /l",
    "  ⠋ check:.:build  running         2.0s",
    "  · check:.:a      waiting",
  ]);
});

test("shows a label for every outcome of a gate", () => {
  const { plan, end, shown } = setUp(a);
  plan();
  end(a, { durationMs: 31 });
  end(a, { cachedSince: "2026-01-01T00:00:00.000Z" });
  end(a, { outcome: "error", message: "Could not be started: no" });
  end(a, { outcome: "skipped", message: "Not started" });
  end(a, { outcome: "cancelled", message: "Cancelled", durationMs: 7 });
  expect(shown()).toEqual([
    "  ✔ check:.:a  passed          31ms",
    "  ✔ check:.:a  cached                passed at 2026-01-01T00:00:00.000Z",
    "  ! check:.:a  error            0ms  Could not be started: no",
    "  - check:.:a  skipped               Not started",
    "  - check:.:a  cancelled             Cancelled",
  ]);
});

test("shows a gate that was not planned with the others, and a notice above them", () => {
  const { hear, plan, end, shown } = setUp(a);
  hear({ type: "notice", level: "warning", text: "the base is gone\u001b[2J" });
  plan();
  end(checkJob("x", { name: "config" }), { outcome: "failed" });
  expect(shown()).toEqual([
    "Warning: the base is gone",
    "  ✖ check:.:config  failed           0ms",
    "  · check:.:a  waiting",
  ]);
});

test("shows only the summary at the end, and stops its timer", () => {
  const { clock, hear, plan, start, shown } = setUp(a, build);
  plan();
  start(a);
  expect(clock.timers).toBe(1);
  hear({
    type: "run-end",
    result: createResult("infrastructure_error", { errorMessage: "no git" }),
  });
  expect(clock.timers).toBe(0);
  expect(shown()).toEqual(["no git; the changes were not verified"]);
});

test("aligns columns with names of wide characters", () => {
  const { plan, shown } = setUp(
    checkJob("true", { name: "検査" }),
    checkJob("true", { name: "a👍" })
  );
  plan();
  expect(shown()).toEqual(["  · check:.:検査  waiting", "  · check:.:a👍   waiting"]);
});

test("escapes control characters in names", () => {
  const odd = checkJob("true", {}, "x\u001b[2J\ny");
  const { plan, shown } = setUp(odd);
  plan();
  expect(shown()).toEqual(["  · check:x\\u001b[2J\\ny:it  waiting"]);
});
