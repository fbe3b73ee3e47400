import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import { expectSoon } from "@test/helpers/soon";

// A machine without /proc, such as a Mac. test/integration/processFacts.test.ts covers machines with it.
vi.mock(import("node:fs"), async (importOriginal) => ({
  ...(await importOriginal()),
  readlinkSync: () => {
    throw new Error("ENOENT");
  },
}));

test("without a process table signals the process group, and is gone when its last process has ended", async () => {
  const script = "sleep 600 & exec sleep 600";
  const child = spawn("sh", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child, "spawn");
  const tree = new ProcessTree(child.pid!);
  expect(tree.isGone()).toBe(false);
  // The pipe closes when the last process that holds it has ended.
  const closed = once(child, "close");
  tree.signal("SIGTERM");
  await closed;
  await expectSoon(() => tree.isGone()).toBe(true);
});
