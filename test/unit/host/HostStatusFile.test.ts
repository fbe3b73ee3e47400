/** Whether a Mux whose status file is there still runs. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { isEditorAttached, STATUS_FOLDER } from "@/host/HostStatusFile";
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
