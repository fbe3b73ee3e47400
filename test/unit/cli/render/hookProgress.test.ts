import { expect, test } from "vitest";
import { HookProgress } from "@/cli/render/hookProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor } from "@/cli/render/style";
import type { HookEvent, HookRun } from "@/node/services/hooks/index";
import { HandClock, RecordedOutput } from "@test/helpers/cliContext";
import { hookRun } from "@test/helpers/hooks/hookRun";
import { screen } from "@test/helpers/process/terminal";

const stop = { event: "Stop", total: 2 } as const;
const begin: HookEvent = { type: "hooks-start", ...stop };
const start = (index: number, name: string, label: string): HookEvent => ({
  ...{ type: "hook-start", ...stop, index, name, label, title: label, timeoutMs: 180_000 },
});
const end = (index: number, name: string, run: Partial<HookRun> = {}): HookEvent => ({
  ...{ type: "hook-end", ...stop, index, run: hookRun({ name, durationMs: 0, ...run }) },
});
const FIRST = "project:Stop[0]";
const over: HookEvent = {
  ...{ type: "hooks-end", event: "Stop", durationMs: 9, result: { shouldStop: true } },
};

interface Terminal {
  tty?: boolean;
  env?: NodeJS.ProcessEnv;
}

/** Shows these events. */
function play({ tty = false, env = {} }: Terminal, ...events: HookEvent[]) {
  const output = new RecordedOutput(tty);
  const clock = new HandClock();
  const lines = new LiveLines(output, isLive(output, env));
  const style = styleFor(output, env);
  const progress = new HookProgress({ lines, clock, style, projectDir: "/p" });
  const hear = (...more: HookEvent[]): void => {
    for (const event of more) progress.handle(event);
  };
  hear(...events);
  return { output, clock, hear };
}

test("prints one line at the start and one at the end of each hook if there is no terminal", () => {
  const { output, clock, hear } = play(
    {},
    begin,
    start(1, FIRST, "Running the tests"),
    start(2, "script:Stop[0]", "/p/.mux/stop")
  );
  clock.advance(5_000);
  hear(
    end(2, "script:Stop[0]", { outcome: "pass", durationMs: 40 }),
    end(1, FIRST, { outcome: "block", durationMs: 5_000 }),
    over
  );
  expect(output.text).toBe(
    [
      "Stop: 2 hooks",
      "  … project:Stop[0]     running               Running the tests",
      "  … script:Stop[0]      running               .mux/stop",
      "  ✔ script:Stop[0]      pass            40ms  .mux/stop",
      "  ✖ project:Stop[0]     block           5.0s  Running the tests",
      "",
    ].join("\n")
  );
});

test("shows on a terminal how long each hook has been running", () => {
  const { output, clock, hear } = play({ tty: true }, begin, start(1, FIRST, "Running the tests"));
  clock.advance(300);
  hear(start(2, "script:Stop[0]", "/p/.mux/stop"));
  clock.advance(1_000);
  expect(screen(output.text)).toMatch(/project:Stop\[0\] +running +1\.3s {2}Running the tests\n/);
  expect(screen(output.text)).toMatch(/script:Stop\[0\] +running +1\.0s {2}\.mux\/stop\n$/);

  hear(end(1, FIRST, { durationMs: 1_300 }));
  const lines = screen(output.text).trimEnd().split("\n");
  expect(lines[1]).toMatch(/✔ project:Stop\[0\] +pass +1\.3s {2}Running the tests/);
  expect(lines[2]).toMatch(/script:Stop\[0\] +running/);
  expect(lines).toHaveLength(3);
  expect(clock.timers).toBe(1);
  hear(end(2, "script:Stop[0]"));
  expect(clock.timers).toBe(0);
});

test("ends the lines of running hooks at an interrupt, and ignores their own end (H22)", () => {
  const { output, clock, hear } = play({ tty: true }, begin, start(1, FIRST, "a"), {
    ...over,
    result: { shouldStop: true, cancelled: true },
  });
  expect(clock.timers).toBe(0);
  hear(end(1, FIRST, { outcome: "cancelled", durationMs: 2_000 }));
  expect(screen(output.text)).toBe(
    "Stop: 2 hooks\n  - project:Stop[0]     cancelled        0ms  a\n"
  );
});

test("prints a label without control characters and line breaks, and a notice when it arrives", () => {
  const { output } = play(
    {},
    start(1, FIRST, "\u001b[2Jtwo\nlines\u0007"),
    { type: "notice", level: "warning", text: "it failed" },
    { type: "notice", level: "info", text: "hello" }
  );
  const label = "  … project:Stop[0]     running               two lines\n";
  expect(output.text).toBe(`${label}  warning: it failed\n  hello\n`);
});
