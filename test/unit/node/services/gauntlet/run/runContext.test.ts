import { expect, test } from "vitest";
import type { RunEvent } from "@/node/services/gauntlet/domain/runResult";
import { RunReporter } from "@/node/services/gauntlet/run/runContext";

const NOTICES: RunEvent[] = [
  { type: "notice", level: "info", text: "one" },
  { type: "notice", level: "warning", text: "two" },
];
const PLAN: RunEvent = { type: "plan", jobs: [] };

test.each<[string, boolean, RunEvent[]]>([
  ["emits each event to its listener", false, [...NOTICES, PLAN]],
  ["emits none in a silent run (G1)", true, []],
])("%s, keeps notices in order, and continues if the listener throws", (_, silent, emitted) => {
  const seen: RunEvent[] = [];
  const listener = (event: RunEvent): never => {
    seen.push(event);
    throw new Error("no terminal");
  };
  const reporter = new RunReporter({ silent, listener });
  reporter.report("info", "one");
  reporter.report("warning", "two");
  reporter.emit(PLAN);
  expect(seen).toEqual(emitted);
  expect(reporter.notices).toEqual(NOTICES);
  expect(reporter.warnings).toEqual(["two"]);
});
