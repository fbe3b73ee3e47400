import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { configGate } from "@/node/services/gauntlet/run/configFailure";
import { tempDir } from "@test/helpers/tempDir";

const problem = ".gauntlet/config.yml:1:15: entry_points: expected a list";

describe("configGate (G20a)", () => {
  test("returns a failed gate whose log has the problem", async () => {
    const logDir = await tempDir();
    const gate = await configGate(new LocalFiles(), { problem, logDir, run: 3 });
    expect(gate).toMatchObject({
      ...{ jobId: "config", kind: "check", outcome: "failed" },
      ...{ message: expect.stringContaining("became invalid after this turn began") as string },
      logPath: join(logDir, "check_config.3.log"),
    });
    expect(await readFile(gate.logPath ?? "", "utf8")).toBe(`${problem}\n`);
  });

  test("returns the failed gate without a log if the log cannot be written", async () => {
    const logDir = join("/dev/null", "logs");
    const gate = await configGate(new LocalFiles(), { problem, logDir, run: 1 });
    expect(gate.outcome).toBe("failed");
    expect(gate).not.toHaveProperty("logPath");
  });
});
