import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { RunLog } from "@/node/services/gauntlet/run/logs/RunLog";
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
