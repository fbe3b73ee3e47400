import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import type { GateResult, SlotResult } from "@/node/services/gauntlet/domain/gate";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { inPrevious, movedLog, RunLog } from "@/node/services/gauntlet/run/logs/RunLog";
import { gateResult } from "@test/helpers/gauntlet/runParts";
import { tempDir } from "@test/helpers/tempDir";

test("writes events as lines in their order, and the result as a report", async () => {
  const dir = await tempDir();
  const log = new RunLog(new LocalFiles(), dir, 3);
  const texts = Array.from({ length: 30 }, (_, i) => `line ${i}`);
  for (const text of texts) log.onEvent({ type: "notice", level: "info", text });
  log.onEvent({ type: "plan", jobs: [] });
  const result = createResult("no_changes");
  await log.close(result);
  expect(log.path).toBe(join(dir, "console.3.log"));
  const lines = [...texts, "Status: No changes", ""];
  expect((await readFile(log.path, "utf8")).split("\n")).toEqual(lines);
  expect(await readFile(join(dir, "report.3.json"), "utf8")).toBe(`${JSON.stringify(result)}\n`);
});

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
  expect(movedLog(gate, "/l")).toEqual({ ...copy, ...moved });
  expect(gate).toStrictEqual(copy);
});
