/** The behavior of operating systems for programs that start others: groups, orphans, signals, pipes. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { KILL_GRACE_MS } from "@/common/limits";
import type { ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { newRuntime } from "@test/helpers/localRuntime";
import { livingInSession } from "@test/helpers/process/processGroups";
import { isAlive, makeGate } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

const LIMIT_MS = 1_000;

const onLinux = process.platform === "linux";
const runtime = newRuntime();

function exec(script: string, more: Partial<ExecRequest> = {}): Promise<ExecResult> {
  return runtime.exec({ command: { script }, cwd: "/", ...more });
}

/** Runs a script until its time limit. It prints its process ID, and may print others. */
async function untilLimit(script: string): Promise<{ pids: number[]; result: ExecResult }> {
  const result = await exec(`echo $$; ${script}`, { timeoutMs: LIMIT_MS });
  expect(result.end).toEqual({ kind: "timedOut" });
  return { result, pids: result.stdout.text.trim().split("\n").map(Number) };
}

/** Runs a script as {@link untilLimit} does, and expects it to end before one that only SIGKILL ends. */
async function endedBySigterm(script: string): Promise<number[]> {
  let isOver = false;
  const limit = new AbortController();
  const stubborn = await started((ready) => `trap '' TERM; ${ready}; sleep 600; sleep 600`, {
    signal: limit.signal,
  });
  void stubborn.ended.then(() => (isOver = true));
  setTimeout(() => {
    limit.abort();
  }, LIMIT_MS);
  const { pids } = await untilLimit(script);
  expect(isOver).toBe(false);
  return pids;
}

/** Starts a script that contains the shell line `ready`, and waits until it runs that line. */
async function started(script: (ready: string) => string, more: Partial<ExecRequest> = {}) {
  const { path } = await makeGate(await tempDir(), "ready");
  const ended = exec(script(`echo > '${path}'`), more);
  await readFile(path);
  return { ended };
}

describe("at the time limit (H21)", () => {
  test("children of a program end at once, in the foreground and in the background", async () => {
    const pids = await endedBySigterm("sleep 600 & sleep 600; wait");
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });

  test("a program that ends in time does not time out, even if the host was blocked", async () => {
    const running = exec("echo in time", { timeoutMs: LIMIT_MS });
    await nextTurn();
    execFileSync("sleep", ["1.5"]);
    const { end, stdout } = await running;
    expect(end).toEqual({ kind: "exited", code: 0 });
    expect(stdout.text).toBe("in time\n");
  });

  test("a limit that is too long for a timer is not a limit", async () => {
    expect((await exec("sleep 0.1", { timeoutMs: 2 ** 40 })).end.kind).toBe("exited");
    expect((await exec("sleep 0.1", { timeoutMs: Infinity })).end.kind).toBe("exited");
  });
});

describe.concurrent("after the grace period (H21)", () => {
  test("a child that ignores SIGTERM is killed, long after its leader has ended", async () => {
    const { result, pids } = await untilLimit(
      "(trap '' TERM; sleep 600; sleep 600) & exec sleep 600"
    );
    expect(result.durationMs).toBeGreaterThanOrEqual(LIMIT_MS + KILL_GRACE_MS - 1);
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });

  test("a stopped program is ended as well", async () => {
    const { pids } = await untilLimit("kill -STOP $$");
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });
});

describe.runIf(onLinux)("processes outside of the group, with /proc", () => {
  test("a program name that imitates a line of the process table is parsed correctly", async () => {
    const program = join(await tempDir(), "a) Z 1 1 (b");
    writeFileSync(program, "#!/bin/sh\nsleep 600; exit\n", { mode: 0o755 });
    const { pids } = await untilLimit(`set -m; '${program}' & wait`);
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });
});

describe("on an abort (H22)", () => {
  test("starts no program if the signal is already aborted", async () => {
    const dir = await tempDir();
    const aborted = AbortSignal.abort();
    const { end } = await exec(`touch '${dir}/ran'`, { signal: aborted });
    expect(end).toEqual({ kind: "cancelled" });
    await expect(readFile(join(dir, "ran"))).rejects.toThrow("ENOENT");
  });

  test("starts no program if the signal is aborted during the search for the shell", async () => {
    const user = new AbortController();
    const fresh = newRuntime();
    const request = { command: { script: "sleep 600" }, cwd: "/", signal: user.signal };
    const running = fresh.exec(request);
    user.abort();
    expect((await running).end).toEqual({ kind: "cancelled" });
  });

  test("ends a running tree, and keeps its output", async () => {
    const user = new AbortController();
    const { ended } = await started((ready) => `echo $$; sleep 600 & ${ready}; sleep 600`, {
      signal: user.signal,
    });
    user.abort();
    const { end, stdout } = await ended;
    expect(end).toEqual({ kind: "cancelled" });
    expect(await livingInSession(Number(stdout.text))).toEqual([]);
  });

  test("keeps the first reason: an abort within the grace period changes nothing", async () => {
    const user = new AbortController();
    const { ended } = await started((ready) => `trap "${ready}; exit" TERM; sleep 600 & wait`, {
      signal: user.signal,
      timeoutMs: LIMIT_MS,
    });
    user.abort();
    expect((await ended).end).toEqual({ kind: "timedOut" });
  });

  test("ends many programs with one signal, without a warning of Node", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const user = new AbortController();
    const running = Array.from({ length: 12 }, () => exec("sleep 600", { signal: user.signal }));
    await nextTurn();
    user.abort();
    const ends = (await Promise.all(running)).map(({ end }) => end.kind);
    expect(new Set(ends)).toEqual(new Set(["cancelled"]));
    await nextTurn();
    expect(warnings).toEqual([]);
  });
});

describe("the end of a program is its exit, not the end of its pipes (H21)", () => {
  test("output that a helper still forwards at the exit is complete", async () => {
    const { stdout } = await exec('exec > >(read -r line; echo "$line"); echo through a helper');
    expect(stdout.text).toBe("through a helper\n");
  });

  test("a child that never stops printing does not delay the end", async () => {
    const { end, stdout } = await exec("yes & echo $!; exit 3");
    expect(end).toEqual({ kind: "exited", code: 3 });
    // Its pipe is closed now, so its next write ends it.
    const pid = Number(/^\d+$/m.exec(stdout.text)?.[0]);
    await expectSoon(() => isAlive(pid)).toBe(false);
  });

  test("output that was in the pipe at the exit is complete", async () => {
    const { stdout } = await exec("sleep 600 & head -c 300000 /dev/zero; kill $!");
    expect(stdout.bytes).toBe(300_000);
  });
});
