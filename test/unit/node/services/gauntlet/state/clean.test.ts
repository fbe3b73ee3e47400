import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { cleanLogs } from "@/node/services/gauntlet/run/logs/clean";
import { nextRunNumber } from "@/node/services/gauntlet/state/runFiles";
import { tempDir } from "@test/helpers/tempDir";

const files = new LocalFiles();
let dir: string;
beforeEach(async () => {
  dir = await tempDir();
});

async function put(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(dir, name, ".."), { recursive: true });
    await writeFile(join(dir, name), `new ${name}`);
  }
}

const namesIn = async (folder = "."): Promise<string[]> =>
  (await readdir(join(dir, folder)).catch(() => [])).sort();

async function clean(keepState: boolean): Promise<string[]> {
  return [...(await cleanLogs(files, dir, { keepState }))._unsafeUnwrap()].sort();
}

const LOGS = ["check_src_a.1.log", "console.1.log", "report.1.json", "review_._cq_claude@1.1.json"];
const STATE = [".check_cache.json", ".execution_state"];

test("moves logs and state to previous, and no other files (G18)", async () => {
  const others = [".debug.log", ".gauntlet-run.lock", "console.txt", "notes.md"];
  await put(...LOGS, ...STATE, ".session_ref", ...others);
  const ours = [...STATE, ".session_ref", ...LOGS].sort();
  expect(await clean(false)).toEqual(ours);
  expect(await namesIn("previous")).toEqual(ours);
  expect(await namesIn()).toEqual([...others, "previous"].sort());
  expect(await readFile(join(dir, "previous/console.1.log"), "utf8")).toBe("new console.1.log");
});

test("keeps the state on request, but never the reference of the existing tool (G18)", async () => {
  await put(...LOGS, ...STATE, ".session_ref");
  expect(await clean(true)).toEqual([".session_ref", ...LOGS].sort());
  expect(await namesIn()).toEqual([...STATE, "previous"].sort());
});

test("keeps one generation, and other files in previous (G18)", async () => {
  await put("previous/console.8.log", "previous/.execution_state", "previous/mine.txt");
  await put(...LOGS);
  await clean(true);
  expect(await namesIn("previous")).toEqual([...LOGS, "mine.txt"].sort());
});

test("moves a state alone beside the logs in previous (G18)", async () => {
  await put("previous/console.8.log", ".execution_state");
  expect(await clean(false)).toEqual([".execution_state"]);
  expect(await namesIn("previous")).toEqual([".execution_state", "console.8.log"]);
});

test("does nothing if there is nothing to move (G18)", async () => {
  expect((await cleanLogs(files, join(dir, "nowhere"), { keepState: false })).isOk()).toBe(true);
  expect(await namesIn()).toEqual([]);
  await put("previous/console.8.log", "notes.md");
  expect(await clean(false)).toEqual([]);
  await put(".execution_state");
  expect(await clean(true)).toEqual([]);
  expect(await namesIn("previous")).toEqual(["console.8.log"]);
});

test("fails if previous is a file, and moves no logs (G18)", async () => {
  await put("previous", ...LOGS);
  const failed = await cleanLogs(files, dir, { keepState: false });
  expect(failed._unsafeUnwrapErr().message).not.toBe("");
  expect(await namesIn()).toEqual([".clean_unfinished", ...LOGS, "previous"].sort());
});

test("completes a clean that was interrupted, and loses no file (G15, G18)", async () => {
  await put(".clean_unfinished", "previous/console.1.log", "check_src_a.1.log");
  expect((await nextRunNumber(files, dir))._unsafeUnwrap()).toBe(2);
  await put("previous/console.4.log");
  expect((await nextRunNumber(files, dir))._unsafeUnwrap()).toBe(5);
  expect(await clean(true)).toEqual(["check_src_a.1.log"]);
  expect(await namesIn()).toEqual(["previous"]);
  expect(await namesIn("previous")).toEqual([
    "check_src_a.1.log",
    "console.1.log",
    "console.4.log",
  ]);
  expect((await nextRunNumber(files, dir))._unsafeUnwrap()).toBe(1);
});
