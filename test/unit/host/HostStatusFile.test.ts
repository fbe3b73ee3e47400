/** Whether a Mux whose status file is there still runs. */
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  HostStatusFile,
  isEditorAttached,
  runningHostsIn,
  STATUS_FOLDER,
} from "@/host/HostStatusFile";
import { readProcess } from "@/node/runtime/process/ProcessTree";
import { HOST_STATUS } from "@test/helpers/host/hostStatus";
import { folderWith } from "@test/helpers/tempDir";

const STARTED = readProcess(process.pid)?.startTime;
const OWN = `${process.pid}.json`;

const filesIn = (home: string): string[] => readdirSync(join(home, ".mux", STATUS_FOLDER));

test.each([
  ["runs", { startTime: STARTED }, true],
  ["runs on a system without start times", {}, true],
  ["has ended, and its process ID belongs to another program", { startTime: "1" }, false],
  ["has only a part of its facts in its file", { startTime: STARTED, host: undefined }, false],
])("an editor's host that %s", async (_, facts, isAttached) => {
  const text = JSON.stringify({ ...HOST_STATUS, seams: { MuxAgent: "attached" }, ...facts });
  const folder = join(".mux", STATUS_FOLDER);
  const home = await folderWith({ [`${folder}/1.json`]: "{", [`${folder}/${OWN}`]: text });
  expect(isEditorAttached({ home, env: {} })).toBe(isAttached);
});

test("the files of a host that was killed are removed, also those of its next status", async () => {
  const killed = spawnSync("true").pid;
  const folder = join(".mux", STATUS_FOLDER);
  const home = await folderWith({
    [`${folder}/${killed}.json`]: JSON.stringify({ ...HOST_STATUS, pid: killed }),
    [`${folder}/${killed}.json.next`]: "{",
    [`${folder}/${OWN}`]: JSON.stringify(HOST_STATUS),
    [`${folder}/${OWN}.next`]: JSON.stringify(HOST_STATUS),
    [`${folder}/notes.txt`]: "of a person",
  });
  expect(runningHostsIn(join(home, ".mux"))).toEqual([HOST_STATUS]);
  expect(filesIn(home).sort()).toEqual([OWN, `${OWN}.next`, "notes.txt"].sort());
});

test("is replaced in one step, so that no reader finds a part of it", async () => {
  const home = await folderWith({ ".mux/config.json": "{}" });
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const file = new HostStatusFile({ home, env: {} }, home);
  const inodeAfter = (seam: string): number => {
    file.seamFound(seam, home, []);
    vi.advanceTimersByTime(500);
    return statSync(join(home, ".mux", STATUS_FOLDER, OWN)).ino;
  };
  expect(inodeAfter("AIService")).not.toBe(inodeAfter("TaskService"));
  expect(filesIn(home)).toEqual([OWN]);
});
