import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { readProcess, readProcessTable } from "@/node/runtime/process/processTable";

test.runIf(process.platform === "linux")("tells who this process is, and whose child", () => {
  const own = readProcess(process.pid);
  expect(own).toMatchObject({ pid: process.pid, parent: process.ppid, isDead: false });
  expect(own?.startTime).toMatch(/^\d+$/);
  expect(readProcessTable()).toContainEqual(own);
});

test("knows nothing of a process that is over", () => {
  expect(readProcess(spawnSync("true").pid)).toBeUndefined();
});
