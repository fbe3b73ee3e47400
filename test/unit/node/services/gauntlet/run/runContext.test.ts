import { expect, test } from "vitest";
import type { RunEvent } from "@/node/services/gauntlet/domain/runResult";
import { RunReporter } from "@/node/services/gauntlet/run/runContext";

const INFO = { type: "notice", level: "info", text: "one" } as const;
const WARNING = { type: "notice", level: "warning", text: "two" } as const;

function reportBoth(reporter: RunReporter): void {
  reporter.report("info", "one");
  reporter.report("warning", "two");
  reporter.emit({ type: "plan", jobs: [] });
}

test("reports each event to its listener, and keeps notices and warnings in order", () => {
  const seen: RunEvent[] = [];
  const reporter = new RunReporter({ listener: (event) => seen.push(event) });
  reportBoth(reporter);
  expect(seen).toEqual([INFO, WARNING, { type: "plan", jobs: [] }]);
  expect(reporter.notices).toEqual([INFO, WARNING]);
  expect(reporter.warnings).toEqual(["two"]);
});

test("keeps notices of a silent run, whose listener gets none of them (G1)", () => {
  const seen: RunEvent[] = [];
  const reporter = new RunReporter({ silent: true, listener: (event) => seen.push(event) });
  reportBoth(reporter);
  expect(seen).toEqual([]);
  expect(reporter.notices).toEqual([INFO, WARNING]);
});

test("continues after a listener has thrown", () => {
  const reporter = new RunReporter({
    listener: () => {
      throw new Error("no terminal");
    },
  });
  reportBoth(reporter);
  expect(reporter.warnings).toEqual(["two"]);
});
