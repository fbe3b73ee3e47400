import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { readProcess, readProcessTable } from "@/node/runtime/process/ProcessTree";

test.runIf(process.platform === "linux")("returns this process and its parent", () => {
  const own = readProcess(process.pid);
  expect(own).toMatchObject({ pid: process.pid, parent: process.ppid, isDead: false });
  expect(own?.startTime).toMatch(/^\d+$/);
  expect(readProcessTable()).toContainEqual(own);
});

test("returns undefined for a process that has ended", () => {
  expect(readProcess(spawnSync("true").pid)).toBeUndefined();
});
