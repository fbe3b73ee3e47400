import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { fitReason } from "@/node/services/hooks/execution/executeHook";
import { tempDir } from "@test/helpers/tempDir";

const files = new LocalRuntime().host;
let session: string;
let transcript: string;

beforeEach(async () => {
  session = await tempDir();
  transcript = join(session, "chat.jsonl");
});

test("returns 10,000 characters unchanged, and never splits a surrogate pair (H17)", async () => {
  const text = "x".repeat(10_000);
  expect(await fitReason(files, transcript, text)).toBe(text);
  expect(await readdir(session)).toEqual([]);
  const fitted = await fitReason(files, transcript, `x${"😀".repeat(8_000)}`);
  expect(Buffer.from(fitted, "utf8").toString("utf8")).toBe(fitted);
});

test("shortens the text even if it cannot be saved", async () => {
  const nowhere = join(session, "file", "chat.jsonl");
  await writeFile(join(session, "file"), "");
  const fitted = await fitReason(files, nowhere, "x".repeat(20_000));
  expect(fitted.length).toBeLessThanOrEqual(10_000);
  expect(fitted).toContain("could not be saved");
});

test("saves equal texts once, and keeps only the newest fifty texts", async () => {
  const folder = join(session, "hook-output");
  await mkdir(folder);
  for (let age = 1; age <= 50; age++) {
    await writeFile(join(folder, `${age}.txt`), "old");
    await utimes(join(folder, `${age}.txt`), 1_000_000 - age, 1_000_000 - age);
  }
  const text = "x".repeat(20_000);
  await fitReason(files, transcript, text);
  await fitReason(files, transcript, text);
  const left = await readdir(folder);
  expect(left).toHaveLength(50);
  expect(left).not.toContain("50.txt");
  expect(left).toContain("49.txt");
});
