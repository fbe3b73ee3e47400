/** Whether a Mux whose status file is there still runs. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { HostStatusFile, isEditorAttached, STATUS_FOLDER } from "@/host/HostStatusFile";
import { readProcess } from "@/node/runtime/process/ProcessTree";
import { folderWith } from "@test/helpers/tempDir";

const STARTED = readProcess(process.pid)?.startTime;

test.each([
  ["runs", { pid: process.pid, startTime: STARTED }, true],
  ["runs on a system without start times", { pid: process.pid }, true],
  [
    "has ended, and its process ID belongs to another program",
    { pid: process.pid, startTime: "1" },
    false,
  ],
  ["has no process ID in its file", { startTime: STARTED }, false],
])("an editor's host that %s", async (_, status, isAttached) => {
  const folder = join(".mux", STATUS_FOLDER);
  const text = JSON.stringify({ ...status, seams: { MuxAgent: "attached" } });
  const home = await folderWith({ [`${folder}/1.json`]: "{", [`${folder}/2.json`]: text });
  expect(isEditorAttached({ home, env: {} })).toBe(isAttached);
});

test("is replaced in one step, so that no reader finds a part of it", async () => {
  const home = await folderWith({ ".mux/config.json": "{}" });
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const file = new HostStatusFile({ home, env: {} }, home);
  const inodeAfter = (seam: string): number => {
    file.seamFound(seam, home, []);
    vi.advanceTimersByTime(500);
    return statSync(join(home, ".mux", STATUS_FOLDER, `${process.pid}.json`)).ino;
  };
  expect(inodeAfter("AIService")).not.toBe(inodeAfter("TaskService"));
  expect(readdirSync(join(home, ".mux"))).toEqual([STATUS_FOLDER, "config.json"]);
});
