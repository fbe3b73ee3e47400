import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as runLock from "@/node/services/gauntlet/state/lock/RunLock";
import { currentProcess, isRunning } from "@/node/services/gauntlet/state/lock/processIdentity";
import { childScript } from "@test/helpers/process/childScript";
import { OtherMachine } from "@test/helpers/remote/otherMachine";
import { tempDir } from "@test/helpers/tempDir";
import { createTestRuntime, testHere } from "@test/helpers/remote/testRuntime";
import { expectSoon } from "@test/helpers/soon";

const runtime = createTestRuntime();
const identity = await currentProcess(runtime.host);
const children = new Set<ChildProcess>();
/** Fields of a lock whose process has ended. */
const ENDED = { pid: await exitedPid(), boot: undefined, start_time: undefined };
let folder: string;
let logDir: string;
let path: string;

beforeEach(async () => {
  folder = await tempDir();
  logDir = join(folder, "logs");
  path = join(logDir, ".gauntlet-run.lock");
  await mkdir(logDir);
});

afterEach(async () => {
  await Promise.all([...children].map((child) => kill(child)));
});

async function kill(child: ChildProcess): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Starts a process that contends for the lock, and waits for its result. */
async function contend(...args: string[]): Promise<{ child: ChildProcess; result: unknown }> {
  const child = fork(await childScript("lockContender"), [folder, ...args]);
  children.add(child);
  const exited = once(child, "exit").then(() => ["exited"]);
  const [result] = (await Promise.race([once(child, "message"), exited])) as unknown[];
  return { child, result };
}

const acquire = (now = new Date()) => runLock.RunLock.acquire(runtime, logDir, identity, now);
const inspect = (now = new Date()): Promise<runLock.LockState> =>
  runLock.inspectLock(runtime, logDir, identity, now);
const filesBeside = async (): Promise<string[]> => (await readdir(logDir)).sort();

/** Returns a lock as this process would write it, except for the given fields. One that is undefined is left out. */
function lockText(more: Readonly<Record<string, unknown>> = {}): string {
  const { startTime: start_time, ...own } = identity;
  const [token, since] = ["a".repeat(32), "2026-01-25T16:00:00.000Z"];
  return JSON.stringify({ ...own, start_time, token, since, ...more });
}

async function writeLock(more: Parameters<typeof lockText>[0], at = path): Promise<void> {
  await writeFile(at, lockText(more));
}

async function exitedPid(): Promise<number> {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid!;
}

async function expectHeld(now?: Date): Promise<Extract<runLock.LockFailure, { kind: "held" }>> {
  expect(await inspect(now)).toMatchObject({ kind: "held", path });
  const refused = (await acquire(now))._unsafeUnwrapErr();
  if (refused.kind !== "held") throw new Error(JSON.stringify(refused));
  expect(refused.path).toBe(path);
  return refused;
}

async function expectTakenOver(now?: Date): Promise<runLock.RunLock> {
  expect(await inspect(now)).toEqual({ kind: "dead" });
  const lock = (await acquire(now))._unsafeUnwrap();
  expect(lock.takenFrom?.token).toMatch(/^[0-9a-f]{32}$/);
  expect(await filesBeside()).toEqual([".gauntlet-run.lock"]);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
    pid: process.pid,
    host: hostname(),
  });
  return lock;
}

const MINUTES = 60_000;
const later = (minutes: number): Date => new Date(Date.now() + minutes * MINUTES);

describe("a lock", () => {
  test("names its holder, rejects a second run, and is removed when released (G17)", async () => {
    expect(await inspect()).toEqual({ kind: "free" });
    const now = new Date("2026-01-25T16:00:00Z");
    const lock = (await acquire(now))._unsafeUnwrap();
    expect(lock.takenFrom).toBeUndefined();
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      pid: process.pid,
      start_time: identity.startTime,
      boot: identity.boot,
      host: hostname(),
      namespace: identity.namespace,
      token: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      since: now.toISOString(),
    });
    const { holder } = await expectHeld(later(600));
    expect(runLock.describeLock(holder)).toBe(
      `process ${process.pid} on ${hostname()}, since ${now.toISOString()}`
    );
    expect((await lock.release()).isOk()).toBe(true);
    expect(await filesBeside()).toEqual([]);
    expect(await inspect()).toEqual({ kind: "free" });
  });

  testHere("is removed only by its owner (G17)", async () => {
    const lock = (await acquire())._unsafeUnwrap();
    await writeLock({});
    expect((await lock.release()).isOk()).toBe(true);
    expect(await filesBeside()).toEqual([".gauntlet-run.lock"]);
    await lock.release();
    expect(await filesBeside()).toEqual([".gauntlet-run.lock"]);
  });

  test("cannot be acquired if a folder or a dangling link is in its place, or a file in place of its folder (G17)", async () => {
    await symlink("nowhere", path);
    const failure = (await acquire())._unsafeUnwrapErr();
    expect(failure).toMatchObject({ kind: "failed", failure: { path } });
    await rm(path);
    await mkdir(path);
    expect((await acquire())._unsafeUnwrapErr()).toMatchObject({ kind: "failed" });
    logDir = join(folder, "file");
    await writeFile(logDir, "");
    expect((await acquire())._unsafeUnwrapErr()).toMatchObject({ kind: "failed" });
  });
});

describe("a lock of a dead owner", () => {
  test("is taken over after the owner was killed, with its earlier holder in the result (G17)", async () => {
    const { child: owner, result } = await contend("hold");
    expect(result).toBe("acquired");
    const { holder } = await expectHeld();
    expect(holder.owner).toMatchObject({ pid: owner.pid! });
    await kill(owner);
    const lock = await expectTakenOver();
    expect(lock.takenFrom).toEqual(holder);
  });

  testHere("is stale if the owner waits to be reaped (G17)", async () => {
    // The shell becomes a program that never reaps its child. Only then does the child end.
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"]);
    children.add(parent);
    const pid = Number(String(((await once(parent.stdout, "data")) as Buffer[])[0]));
    await expectSoon(() => readFile(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
    process.kill(pid, "SIGKILL");
    while (await isRunning(runtime, pid)) await delay(1);
    expect(await readFile(`/proc/${pid}/stat`, "latin1")).toContain(") Z");
    await writeFile(path, String(pid));
    await expectTakenOver();
  });

  testHere.each([
    ["another process has the owner's ID now", { start_time: "1" }],
    ["the machine has rebooted, although a process has the owner's ID", { boot: "another" }],
    ["it has no start time, as that of a process that is not a run", { start_time: undefined }],
    ["no process has the owner's ID, also without a start time", ENDED],
  ])("is stale if %s (G17)", async (_, fields) => {
    await writeLock(fields);
    await expectTakenOver();
  });

  testHere("is stale if the process with its ID started after it was written (G17)", async () => {
    await writeFile(path, String(process.pid));
    const before = new Date(Date.now() - process.uptime() * 1000 - 10_000);
    await utimes(path, before, before);
    await expectTakenOver();
  });
});

describe("a lock of a living or unknown owner", () => {
  test("is held for 60 minutes if it has only a process ID, which a process has (G17)", async () => {
    await writeFile(path, String(process.pid));
    const { holder } = await expectHeld(later(59));
    expect(runLock.describeLock(holder)).toContain(`process ${process.pid}, since `);
    await expectTakenOver(later(61));
  });

  testHere.each([
    ["on another host", lockText({ start_time: "1", boot: "x", host: "elsewhere" })],
    ["in another container", lockText({ start_time: "1", namespace: "pid:[1]" })],
    ["of garbage", "\u0000\u0001{{{"],
    ["of an empty file", ""],
    ["of a token that is a path", lockText({ token: "../../x" })],
    ["of number 0", "0"],
    ["of 1 MiB", "1".repeat(1 << 20)],
  ])("%s is held for 60 minutes and not longer (G17)", async (_, content) => {
    await writeFile(path, content);
    await expectHeld(later(59));
    await expectTakenOver(later(61));
  });

  testHere("is held if its file has a time in the future (G17)", async () => {
    await writeFile(path, "");
    await utimes(path, later(600), later(600));
    await expectHeld();
  });

  testHere(
    "is held for 60 minutes on another machine if it has only a process ID (G17)",
    async () => {
      const box = new OtherMachine(folder);
      await writeFile(path, String(ENDED.pid));
      const take = (now: Date) => runLock.RunLock.acquire(box, "/logs", identity, now);
      expect((await take(new Date()))._unsafeUnwrapErr()).toMatchObject({ kind: "held" });
      expect((await take(later(61))).isOk()).toBe(true);
    }
  );
});

describe("a takeover", () => {
  const [first, second, third] = ["1", "2", "3"].map((digit) => digit.repeat(32));
  const after = (token: string): string => `${path}.after-${token}`;

  test("is taken over itself if its process was killed, and leaves no files (G17)", async () => {
    await writeLock({ start_time: "1", token: first! });
    await writeLock({ start_time: "2", token: second! }, after(first!));
    await writeLock({ start_time: "3", token: third! }, after(second!));
    await expectTakenOver();
  });

  testHere("belongs to its process if that is alive (G17)", async () => {
    await writeLock({ start_time: "1", token: first! });
    await writeLock({ token: second! }, after(first!));
    const { holder } = await expectHeld();
    expect(holder.token).toBe(second);
  });

  testHere("is taken over if its process died after its claim became the lock (G17)", async () => {
    await writeLock({ start_time: "2", token: second! });
    await writeLock({ start_time: "2", token: second! }, after(first!));
    await expectTakenOver();
  });

  test("ends if the lock changed before the claim was made (G17)", async () => {
    await writeLock({ start_time: "1", token: first! });
    let isFirst = true;
    // Another process is faster between the check of the stale lock and the claim.
    const slow = Object.assign(createTestRuntime(), {
      createFile: async (at: string, data: string) => {
        if (at === after(first!) && isFirst) {
          isFirst = false;
          await writeLock({ token: third! });
        }
        return runtime.createFile(at, data);
      },
    });
    const refused = (
      await runLock.RunLock.acquire(slow, logDir, identity, new Date())
    )._unsafeUnwrapErr();
    expect(isFirst).toBe(false);
    expect(refused).toMatchObject({ kind: "held", holder: { token: third } });
    expect(await filesBeside()).toEqual([".gauntlet-run.lock"]);
  });

  testHere("never follows locks in a circle (G17)", async () => {
    await writeLock({ start_time: "1", token: first! });
    await writeLock({ start_time: "1", token: first! }, after(first!));
    const refused = (await acquire())._unsafeUnwrapErr();
    expect(refused).toMatchObject({ kind: "failed", failure: { code: "ELOOP" } });
  });

  testHere("removes no other files (G17)", async () => {
    const others = [".gauntlet-run.lock.bak", ".gauntlet-run.lock.after-lunch", "console.1.log"];
    for (const name of others) await writeFile(join(logDir, name), "");
    const litter = `.gauntlet-run.lock.after-${first!}.0123456789abcdef`;
    await writeFile(join(logDir, litter), "");
    expect((await acquire()).isOk()).toBe(true);
    expect(await filesBeside()).toEqual([".gauntlet-run.lock", ...others].sort());
  });
});

testHere("100 contended takeovers never have two owners at once (G17)", async () => {
  const racers = Array.from({ length: 3 }, () => contend("die-often", "34"));
  for (const { result } of await Promise.all(racers)) expect(result).toEqual({ overlaps: [] });
});
