import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { ProcessTree, readProcess, readProcessTable } from "@/node/runtime/process/ProcessTree";
import { expectSoon } from "@test/helpers/soon";

// Test files of one worker share the mocked module, so it works as usual outside of one test.
const proc = vi.hoisted(() => ({ isMissing: false }));

vi.mock(import("node:fs"), async (importOriginal) => {
  const fs = await importOriginal();
  const readlinkSync = ((path: string) => {
    if (proc.isMissing) throw new Error("ENOENT");
    return fs.readlinkSync(path);
  }) as typeof fs.readlinkSync;
  return { ...fs, readlinkSync };
});

// A machine without /proc, such as a Mac. test/integration/processFacts.test.ts covers machines with it.
test("without a process table signals the process group, and is gone when its last process has ended", async () => {
  proc.isMissing = true;
  onTestFinished(() => {
    proc.isMissing = false;
  });
  const script = "sleep 600 & exec sleep 600";
  const stdio = ["ignore", "pipe", "ignore"] as const;
  const child = spawn("sh", ["-c", script], { detached: true, stdio: [...stdio] });
  await once(child, "spawn");
  const tree = new ProcessTree(child.pid!);
  expect(tree.isGone()).toBe(false);
  // The pipe closes when the last process that holds it has ended.
  const closed = once(child, "close");
  tree.signal("SIGTERM");
  await closed;
  await expectSoon(() => tree.isGone()).toBe(true);
});

test.runIf(process.platform === "linux")(
  "returns this process and its parent, and none that has ended",
  () => {
    const own = readProcess(process.pid);
    expect(own).toMatchObject({ pid: process.pid, parent: process.ppid, isDead: false });
    expect(own?.startTime).toMatch(/^\d+$/);
    expect(readProcessTable()).toContainEqual(own);
    expect(readProcess(spawnSync("true").pid)).toBeUndefined();
  }
);
