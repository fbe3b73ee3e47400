import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { newScratchName, RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";
import { LocalShell } from "@test/helpers/remote/localShell";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

test("the next session removes the folder of a killed client, and keeps those of running ones (H34)", async () => {
  const home = await tempDir();
  const open = () =>
    new RemoteFiles(new LocalShell({ env: { PATH: process.env.PATH, HOME: home } }));
  const client = spawn("sleep", ["600"], { stdio: "ignore" });
  const left = join(home, ".cache", "mux-stop-hooks", newScratchName(client.pid));
  await putFile(join(left, "chat.jsonl"), "{}\n");

  const beside = (await open().scratchDir())._unsafeUnwrap();
  expect(existsSync(left)).toBe(true);
  client.kill("SIGKILL");
  await once(client, "exit");
  const other = join(dirname(left), "session-of-another-machine");
  const old = join(dirname(left), "session-of-last-month");
  const long = join(dirname(left), "session-that-still-runs");
  const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
  const name = newScratchName(client.pid).replace(/^session-\w+/, `session-${host}`);
  const namesake = join(dirname(left), name);
  for (const folder of [other, old, long, namesake]) {
    await putFile(join(folder, "chat.jsonl"), "{}\n");
  }
  const lastMonth = Date.now() / 1000 - 30 * 24 * 3600;
  for (const path of [join(old, "chat.jsonl"), old, long]) {
    await utimes(path, lastMonth, lastMonth);
  }

  const next = (await open().scratchDir())._unsafeUnwrap();
  await expectSoon(() => existsSync(left)).toBe(false);
  expect([next, beside, other, long, namesake].filter((path) => !existsSync(path))).toEqual([]);
  expect(existsSync(old)).toBe(false);
});
