import { expect, test } from "vitest";
import type { GateResult, SlotResult } from "@/node/services/gauntlet/domain/gate";
import { inPrevious, movedLog } from "@/node/services/gauntlet/run/logs/movedLogs";
import { gateResult } from "@test/helpers/gauntlet/runParts";

const slot: SlotResult = { slot: 1, reviewer: "codex", outcome: "passed", durationMs: 1 };

test.each([
  ["/p/logs/a.1.log", "/p/logs", "/p/logs/previous/a.1.log"],
  ["/p/logs/a.1.log", "/p/logs/", "/p/logs/previous/a.1.log"],
  ["/p/logs/previous/a.1.log", "/p/logs", "/p/logs/previous/a.1.log"],
])("inPrevious of %s in %s is %s (G15a)", (path, logDir, moved) => {
  expect(inPrevious(path, logDir)).toBe(moved);
});

test.each<[string, Partial<GateResult>, Partial<GateResult>]>([
  ["without a log", {}, {}],
  ["with a log", { logPath: "/l/a.log" }, { logPath: "/l/previous/a.log" }],
  [
    "of a review",
    { slots: [{ ...slot, logPath: "/l/r.log", jsonPath: "/l/r.json" }, slot] },
    { slots: [{ ...slot, logPath: "/l/previous/r.log", jsonPath: "/l/previous/r.json" }, slot] },
  ],
])("movedLog changes only the paths of a result %s (G15a)", (_, given, moved) => {
  const gate = gateResult("review:.:quality", "passed", given);
  const copy = structuredClone(gate);
  expect(movedLog(gate, "/l")).toStrictEqual({ ...copy, ...moved });
  expect(gate).toStrictEqual(copy);
});
