import { appendFile, readFile, readdir, rename, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { MIB } from "@/common/limits";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { ReadOptions } from "@/node/runtime/HookRuntime";
import { MuxChat, readRows, text } from "@test/helpers/hooks/muxChat";
import { tempDir } from "@test/helpers/tempDir";

/** Counts the bytes that are read of files. */
class CountingFiles extends LocalRuntime {
  read = 0;

  override async readFile(path: string, options: ReadOptions) {
    const result = await super.readFile(path, options);
    this.read += result.map(({ length }) => length).unwrapOr(0);
    return result;
  }
}

let folder: string;
let chat: MuxChat;

beforeEach(async () => {
  folder = await tempDir();
  chat = new MuxChat(join(folder, "chat.jsonl"), folder);
});

const inode = async (path: string) => (await stat(path)).ino;

/** Returns what a process that has seen nothing yet would write. */
async function fresh(): Promise<string> {
  const name = `fresh-${Math.random()}.jsonl`;
  const other = new MuxChat(join(folder, name), folder);
  await writeFile(other.path, await readFile(chat.path));
  return await readFile((await other.project()).own, "utf8");
}

test("only the new part is read, so that all stops together take linear time (H37)", async () => {
  const files = new CountingFiles();
  await chat.write(chat.user("x".repeat(MIB)));
  await chat.project({}, files);
  files.read = 0;
  for (let turn = 0; turn < 50; turn++) {
    await chat.append(chat.user("y".repeat(1_000)));
    await chat.project({}, files);
  }
  // Of each stop: the row, and the end of what was read before.
  expect(files.read).toBeLessThan(50 * (1_400 + 4_096));
});

test("a chat that the host replaced without changing what was read is followed (H37)", async () => {
  const rows = [chat.user("Go"), chat.assistant([text("Done.")])];
  await chat.write(...rows);
  const { own } = await chat.project();
  const first = await inode(own);
  await new MuxChat(`${chat.path}.new`, folder).write(...rows);
  await rename(`${chat.path}.new`, chat.path);
  await chat.append(chat.user("Next"));
  await chat.project();
  expect(await inode(own)).toBe(first);
  expect(await readRows(own)).toHaveLength(3);
});

test("after an edit the copy is replaced as a whole, and keeps the IDs of the rows before it (H37)", async () => {
  const first = chat.user("Go");
  await chat.write(first, chat.assistant([text("Done.")]), chat.user("More"));
  const { own } = await chat.project();
  const [row] = await readRows(own);
  const before = await inode(own);
  await chat.write(first, chat.user("Do it differently"));
  await chat.project();
  const rows = await readRows(own);
  expect(await inode(own)).not.toBe(before);
  expect(rows.map(({ message }) => message.content)).toEqual(["Go", "Do it differently"]);
  expect(rows[0]?.uuid).toBe(row?.uuid);
  expect(await readdir(folder)).toEqual(["chat.claude.jsonl", "chat.jsonl"]);
});

test.each([
  ["shortened", (path: string) => truncate(path, 5)],
  ["extended", (path: string) => appendFile(path, "x\n")],
  ["emptied", (path: string) => writeFile(path, "")],
])("a copy that was %s by another program is written again (H37)", async (_, change) => {
  await chat.write(chat.user("Go"));
  const { own } = await chat.project();
  await change(own);
  await chat.append(chat.user("Next"));
  await chat.project();
  expect(await readFile(own, "utf8")).toBe(await fresh());
});

test("an empty chat has an empty copy, and a line without a line feed counts if it is complete (H37)", async () => {
  await chat.write();
  expect(await chat.claudeRows()).toEqual([]);
  await chat.write(chat.user("Go"));
  const line = JSON.stringify(chat.user("Next"));
  await appendFile(chat.path, line.slice(0, -1));
  expect(await chat.claudeRows()).toHaveLength(1);
  await appendFile(chat.path, line.slice(-1));
  expect(await chat.claudeRows()).toHaveLength(2);
});

test("updates at the same time, as for sub-agents of one parent, write each row once (H37)", async () => {
  await chat.write(chat.user("Go"));
  const { own } = await chat.project();
  await chat.append(chat.user("Next"), chat.assistant([text("Done.")]));
  const before = await inode(own);
  await Promise.all(Array.from({ length: 8 }, () => chat.project()));
  expect(await inode(own)).toBe(before);
  expect(await readRows(own)).toHaveLength(3);
});

test("a line that is too long is skipped, also if it grows between two stops (H37)", async () => {
  await chat.write(chat.user("Go"));
  await chat.project();
  await appendFile(chat.path, `{"role":"user","parts":"${"x".repeat(65 * MIB)}`);
  expect(await chat.claudeRows()).toHaveLength(1);
  await appendFile(chat.path, `{"role":"user"}\n`);
  await chat.append(chat.user("Next"));
  const rows = await chat.claudeRows();
  expect(rows.map(({ message }) => message.content)).toEqual(["Go", "Next"]);
});
