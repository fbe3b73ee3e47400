import { expect, test } from "vitest";
import { GateProgress, type DetailLine } from "@/cli/gauntlet/render/gateProgress";
import { displayWidth } from "@/cli/render/formatText";
import { LiveLines } from "@/cli/render/liveLines";
import { styleFor } from "@/cli/render/style";
import type { RunEvent } from "@/node/services/gauntlet/domain/runResult";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { HandClock, RecordedOutput } from "@test/helpers/cliContext";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import { screen } from "@test/helpers/process/terminal";

/** A terminal with this width, and the view of a run of these jobs, which are not planned yet. */
function setUp(jobs: readonly Job[], columns = 100) {
  const output = new RecordedOutput(true, columns);
  const clock = new HandClock();
  const lines = new LiveLines(output, true);
  const progress = new GateProgress({ lines, clock, style: styleFor(output, { NO_COLOR: "1" }) });
  const hear = (event: RunEvent, details: DetailLine[] = []): void => {
    progress.onEvent(event, details);
  };
  return {
    ...{ clock, hear, output },
    plan: () => {
      hear({ type: "plan", jobs });
    },
    start: (job: Job) => {
      hear({ type: "gate-start", job, logPath: "/p/log" });
    },
    end: (job: Job, result: Partial<GateResult> = {}, details: DetailLine[] = []) => {
      hear({ type: "gate-end", result: resultFor(job, result) }, details);
    },
    clear: () => {
      progress.clear();
    },
    shown: () => screen(output.text).trimEnd().split("\n"),
  };
}

function planned(...jobs: Job[]) {
  const run = setUp(jobs);
  run.plan();
  return run;
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

test("shows a gate as waiting, then as running with its time, then with its outcome (G30)", () => {
  const { clock, start, end, shown } = planned(a, build, lint);
  start(build);
  clock.advance(1_300);
  start(lint);
  clock.advance(700);
  expect(shown()).toEqual([
    "  ⠋ check:.:build  running         2.0s",
    "  ⠋ check:.:lint   running        700ms",
    "  · check:.:a      waiting",
  ]);
  const result = { outcome: "failed", durationMs: 700, message: "Exited with code 3" } as const;
  end(lint, result, [{ text: "      Log: /l" }]);
  expect(shown()).toEqual([
    "  ✖ check:.:lint   failed         700ms  Exited with code 3",
    "      Log: /l",
    "  ⠋ check:.:build  running         2.0s",
    "  · check:.:a      waiting",
  ]);
});

test("shows the reviewer of a review that runs, and its time (G30)", () => {
  const { clock, hear, start, shown } = planned(a, build);
  start(a);
  hear({ type: "slot-start", job: a, slot: { slot: 1, reviewer: "codex" } });
  clock.advance(80_000);
  expect(shown()).toEqual([
    "  ⠋ check:.:a by codex  running       1m 20s",
    "  · check:.:build       waiting",
  ]);
});

test("shows a label for every outcome of a gate", () => {
  const { start, end, shown } = planned(a);
  end(a, { durationMs: 31 });
  end(a, { cachedSince: "2026-01-01T00:00:00.000Z" });
  end(a, { outcome: "error", message: "Could not be started: no" });
  end(a, { outcome: "skipped", message: "Not started" });
  start(a);
  end(a, { outcome: "cancelled", message: "Cancelled", durationMs: 7 });
  expect(shown()).toEqual([
    "  ✔ check:.:a  passed          31ms",
    "  ✔ check:.:a  cached                passed at 2026-01-01T00:00:00.000Z",
    "  ! check:.:a  error            0ms  Could not be started: no",
    "  - check:.:a  skipped               Not started",
    "  - check:.:a  cancelled",
  ]);
});

test("shows a gate that was not planned with the others, and a notice above them", () => {
  const { hear, plan, end, shown } = setUp([a]);
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
  const { clock, hear, start, shown } = planned(a, build);
  start(a);
  expect(clock.timers).toBe(1);
  const result = createResult("infrastructure_error", { errorMessage: "no git" });
  hear({ type: "run-end", result });
  expect(clock.timers).toBe(0);
  expect(shown()).toEqual(["no git; the changes were not verified"]);
});

test("escapes control characters in names", () => {
  const job = checkJob("true", {}, "x\u001b[2J\ny");
  expect(planned(job).shown()).toEqual(["  · check:x\\u001b[2J\\ny:it  waiting"]);
});

const LONG = [
  checkJob("true", { name: "integration-tests-against-the-database" }, "packages/very-long-name"),
  checkJob("true", { name: "とても長い名前の検査をここで実行しますので切れます" }, "packages/a"),
  checkJob("true", { name: "emoji-👍🏽-e\u0301e\u0301" }, "packages/very-long-name-of-a-package"),
  a,
];

test.each([60, 100])("fits the lines of gates with long names into %i columns", (columns) => {
  const { plan, start, shown } = setUp(LONG, columns);
  plan();
  for (const job of LONG.slice(0, 3)) start(job);
  const lines = shown();
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  expect(lines[0]).toMatch(/^ {2}⠋ check:.*…?.*against-the-database {2}running +0ms$/);
  const starts = lines.map((line) => displayWidth(/^.*?(?=running|waiting)/.exec(line)?.[0] ?? ""));
  expect(new Set(starts).size).toBe(1);
});

test("puts what does not fit into 60 columns below the gate, and keeps its name whole", () => {
  const [long = a] = LONG;
  const { plan, end, shown } = setUp([long, a], 60);
  plan();
  const result = { outcome: "failed", durationMs: 700, message: "Exited with code 3" } as const;
  end(long, result, [
    { text: "      src/a.ts:1:7 a message that is too long for a line of sixty columns [TS1]" },
    { text: `      | ${"出力".repeat(30)}`, isQuoted: true },
    { text: `      Log: /${"folder/".repeat(12)}a.log` },
  ]);
  end(a, result);
  expect(shown()).toEqual([
    "  ✖ check:packages/very-long-name:integration-tests-against-the-database",
    "      failed  700ms",
    "      Exited with code 3",
    "      src/a.ts:1:7 a message that is too long for a line of",
    "        sixty columns [TS1]",
    `      | ${"出力".repeat(12)}出…`,
    `      Log: /${"folder/".repeat(12)}a.log`,
    "  ✖ check:.:a                           failed         700ms",
    "      Exited with code 3",
  ]);
});

test("ends with the numbers of gates, the time and the slowest gate (G30)", () => {
  const { clock, hear, shown } = planned(a, build, lint);
  clock.advance(2_100);
  const gates = [
    resultFor(a, { durationMs: 100 }),
    resultFor(build, { outcome: "failed", durationMs: 2_000 }),
    resultFor(lint, { flaky: true, runs: 2, durationMs: 5, fixedFiles: ["x", "y"] }),
    resultFor(a, { cachedSince: "2026-01-01T00:00:00.000Z", durationMs: 9_000 }),
    resultFor(a, { outcome: "no_files" }),
    resultFor(a, { outcome: "skipped" }),
    resultFor(a, { outcome: "error" }),
  ];
  hear({ type: "run-end", result: { ...createResult("failed"), gates, fixed: ["src/a.ts:1 x"] } });
  expect(shown()).toEqual([
    "",
    "  ✓ Fixed: src/a.ts:1 x",
    "Gates: 1 passed, 2 failed, 1 cached, 1 flaky, 1 without files, 1 without a result, 2 files fixed",
    "Time: 2.1s; the slowest is check:.:build (2.0s)",
    "Status: Failed",
  ]);
});

test("leaves nothing of the block if the process ends before the run", () => {
  const { clock, start, end, clear, shown } = planned(a, build);
  end(a);
  start(build);
  clear();
  expect(clock.timers).toBe(0);
  expect(shown()).toEqual(["  ✔ check:.:a      passed           0ms"]);
});

test("does not list the gates that an interrupt kept from starting", () => {
  const { start, end, shown } = planned(a, build);
  start(a);
  end(a, { outcome: "cancelled", message: "Cancelled" });
  end(build, { outcome: "cancelled", message: "Cancelled before it started" });
  expect(shown()).toEqual(["  - check:.:a      cancelled"]);
});
