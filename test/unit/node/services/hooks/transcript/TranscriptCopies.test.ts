import { appendFile, readdir, readFile, rename, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { TranscriptCopies, type Mirrored } from "@/node/services/hooks/transcript/TranscriptCopies";
import { OtherMachine } from "@test/helpers/remote/otherMachine";
import { putFile, tempDir } from "@test/helpers/tempDir";

const MIB = 1024 * 1024;

let box: OtherMachine;
let mirror: TranscriptCopies;
let chat: string;

beforeEach(async () => {
  const root = await tempDir();
  box = new OtherMachine(join(root, "box"));
  mirror = new TranscriptCopies(box);
  chat = join(root, "chat.jsonl");
  await writeFile(chat, "one\n");
});

async function bring(...paths: string[]): Promise<Mirrored> {
  const send = await mirror.look(paths.length === 0 ? [chat] : paths);
  return await send();
}

/** Puts another file in place of the chat. */
async function replace(text: string): Promise<void> {
  await writeFile(`${chat}.new`, text);
  await rename(`${chat}.new`, chat);
}

/** Returns the content of the copy, and the requests that were needed to update it. */
async function copyOf(path = chat): Promise<{ text: string; asked: string[] }> {
  box.takeTicks();
  const { copies, failure } = await bring(path);
  expect(failure).toBeUndefined();
  const asked = box.takeTicks().flat();
  return { text: await readFile(box.at(copies.get(path)!), "utf8"), asked };
}

describe("a transcript on the workspace's machine (H34)", () => {
  test("is private, and has its original name", async () => {
    const { copies } = await bring();
    const copy = copies.get(chat)!;
    expect(copy).toMatch(/^\/scratch\/session-[0-9a-f]{12}\/chat\.jsonl$/);
    expect((await stat(box.at(copy))).mode & 0o777).toBe(0o600);
    expect((await stat(box.at("/scratch"))).mode & 0o777).toBe(0o700);
  });

  test("is extended by its new part in one tick", async () => {
    expect(await copyOf()).toEqual({ text: "one\n", asked: ["scratchDir", "writeFile"] });
    await appendFile(chat, Buffer.from([0xff, 0xfe, 0, 0xc3]));
    box.takeTicks();
    const { copies } = await bring();
    expect(box.takeTicks()).toEqual([["appendFile", "stat"]]);
    // It is copied byte by byte.
    expect(await readFile(box.at(copies.get(chat)!))).toEqual(await readFile(chat));
    expect((await copyOf()).asked).toEqual(["stat"]);
  });

  const rows = "x".repeat(10_000);

  test.each([
    ["is written whole", "is shorter", "one\n", "on"],
    ["is written whole", "is as long", "one\n", "two\n"],
    ["is written whole", "is longer", "one\n", "other\n"],
    ["is written whole", "differs far before the end", `1${rows}`, `2${rows}more`],
    ["is extended", "begins with the same content", "one\n", "one\nmore\n"],
  ])("%s if its file was replaced by another one that %s", async (how, _, sent, text) => {
    await writeFile(chat, sent);
    await bring();
    await replace(text);
    const asked = how === "is extended" ? ["appendFile", "stat"] : ["writeFile"];
    expect(await copyOf()).toEqual({ text, asked });
  });

  test("is written whole if its file was truncated and filled again", async () => {
    await bring();
    await truncate(chat, 0);
    await appendFile(chat, "zero\none\n");
    expect(await copyOf()).toEqual({ text: "zero\none\n", asked: ["writeFile"] });
  });

  test.each(["removed", "cut", "replaced"])("is written again if its copy was %s", async (how) => {
    const { copies } = await bring();
    await bring();
    const copy = box.at(copies.get(chat)!);
    if (how === "cut") await truncate(copy, 1);
    else await rename(copy, `${copy}.old`);
    if (how === "replaced") await writeFile(copy, "no!\n");
    await appendFile(chat, "two\n");
    const asked = ["appendFile", "stat", "writeFile"];
    expect(await copyOf()).toEqual({ text: "one\ntwo\n", asked });
  });

  test("is written whole after a failure, regardless of what had arrived", async () => {
    await bring();
    await appendFile(chat, "two\n");
    box.failing = "appendFile";
    expect(await bring()).toMatchObject({ failure: { code: "ENOSPC" } });
    box.failing = undefined;
    expect(await copyOf()).toEqual({ text: "one\ntwo\n", asked: ["writeFile"] });
  });

  test("stays empty if it is empty", async () => {
    await writeFile(chat, "");
    expect((await copyOf()).text).toBe("");
    expect(await copyOf()).toEqual({ text: "", asked: ["stat"] });
  });

  test("is sent in parts with little memory if it has 64 MiB", async () => {
    const line = `${"x".repeat(1023)}\n`;
    await writeFile(chat, "");
    for (let i = 0; i < 64; i++) await appendFile(chat, line.repeat(1024));
    const send = await mirror.look([chat]);
    const before = process.memoryUsage().arrayBuffers;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }, 1);
    const { copies } = await send();
    clearInterval(watch);
    expect((await stat(box.at(copies.get(chat)!))).size).toBe(64 * MIB);
    expect(box.takeTicks().length).toBeGreaterThan(8);
    expect(most - before).toBeLessThan(48 * MIB);
    await appendFile(chat, "end\n");
    box.takeTicks();
    await bring();
    expect(box.takeTicks()).toEqual([["appendFile", "stat"]]);
  });

  test("is not sent to its end if the stop is interrupted", async () => {
    await truncate(chat, 12 * MIB);
    const send = await mirror.look([chat]);
    const { failure } = await send(AbortSignal.abort());
    expect(failure?.code).toBe("ECANCELED");
    expect(box.takeTicks().flat()).toEqual(["scratchDir", "writeFile"]);
  });
});

describe("several transcripts", () => {
  test("of one name are kept apart, and a missing one does not affect the others", async () => {
    const parent = join(dirname(chat), "parent", "chat.jsonl");
    await putFile(parent, "parent\n");
    const { copies, failure } = await bring(chat, parent, chat, "/no/such.jsonl");
    expect([...copies.keys()]).toEqual([chat, parent]);
    const texts = [...copies.values()].map((path) => readFile(box.at(path), "utf8"));
    expect(await Promise.all(texts)).toEqual(["one\n", "parent\n"]);
    expect(failure).toMatchObject({ code: "ENOENT", path: "/no/such.jsonl" });
  });

  test("are sent one stop after the other", async () => {
    await bring();
    await appendFile(chat, "two\n");
    const send = await mirror.look([chat]);
    const first = send();
    await appendFile(chat, "three\n");
    const second = bring();
    await Promise.all([first, second]);
    expect((await copyOf()).text).toBe("one\ntwo\nthree\n");
  });

  test("are limited in number on the machine", async () => {
    for (let i = 0; i < 20; i++) {
      const path = `${chat}.${i}`;
      await writeFile(path, String(i));
      await bring(path);
    }
    const [session] = await readdir(box.at("/scratch"));
    const left = await readdir(box.at(`/scratch/${session!}`), { recursive: true });
    expect(left.filter((name) => name.includes("chat.jsonl"))).toHaveLength(16);
  });
});

test("returns a failure for a runtime that rejects against its contract", async () => {
  const reject = (): Promise<never> => Promise.reject(new Error("broken"));
  box.writeFile = reject;
  expect(await bring()).toMatchObject({ failure: { message: "broken" } });
  box.scratchDir = reject;
  mirror = new TranscriptCopies(box);
  expect(await bring()).toMatchObject({ failure: { message: "broken" } });
});
