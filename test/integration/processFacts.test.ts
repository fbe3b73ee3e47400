/** The behavior of operating systems for programs that start others: groups, orphans, signals, pipes. */
import { execFileSync } from "node:child_process";
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

const LIMIT_MS = 300;

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
async function started(
  script: (ready: string) => string,
  more: Partial<ExecRequest> = {}
): Promise<{ ended: Promise<ExecResult> }> {
  const { path } = await makeGate(await tempDir(), "ready");
  const ended = exec(script(`echo > '${path}'`), more);
  await readFile(path);
  return { ended };
}

describe("at the time limit (H21)", () => {
  test.each([
    ["case 111: a program ends at once with SIGTERM", "exec sleep 600"],
    [
      "case 113: children of a program end at once as well, in the foreground and in the background",
      "sleep 600 & sleep 600; wait",
    ],
  ])("%s", async (_what, script) => {
    const pids = await endedBySigterm(script);
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });

  test("a program may clean up within the grace period, and its output after the limit is dropped (case 118)", async () => {
    const dir = await tempDir();
    const cleanUp = `echo late; echo late >&2; head -c 1000000 /dev/zero; echo done > '${dir}/clean'; exit 0`;
    const { result, pids } = await untilLimit(`trap "${cleanUp}" TERM; sleep 600 & wait`);
    expect(await readFile(join(dir, "clean"), "utf8")).toBe("done\n");
    expect(result.stdout.text).toBe(`${pids[0]!}\n`);
    expect(result.stderr).toEqual({ text: "", bytes: 0, truncated: false });
  });

  test("case 115: an orphan in its own session delays nothing", async () => {
    const pids = await endedBySigterm("(setsid sh -c 'echo $$; exec sleep 600' &); sleep 600");
    onTestFinished(() => void process.kill(pids[1]!, "SIGKILL"));
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });

  test("a program that ends in time does not time out, even if the host was blocked", async () => {
    const running = exec("echo in time", { timeoutMs: 100 });
    await nextTurn();
    execFileSync("sleep", ["0.5"]);
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
  test.each([
    ["case 114: a program that ignores SIGTERM is killed", "trap '' TERM; sleep 600; sleep 600"],
    [
      "a child that ignores SIGTERM is killed as well, long after its leader has ended",
      "(trap '' TERM; sleep 600; sleep 600) & exec sleep 600",
    ],
  ])("%s", async (_what, script) => {
    const { result, pids } = await untilLimit(script);
    expect(result.durationMs).toBeGreaterThanOrEqual(LIMIT_MS + KILL_GRACE_MS - 1);
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });

  test("a stopped program is ended as well", async () => {
    const { pids } = await untilLimit("kill -STOP $$");
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });

  test.runIf(onLinux)(
    "a job of an interactive shell that ignores SIGTERM is killed after the grace period",
    async () => {
      const { pids } = await untilLimit("set -m; (trap '' TERM; sleep 600; sleep 600) & wait");
      expect(await livingInSession(pids[0]!)).toEqual([]);
    }
  );
});

describe.runIf(onLinux)("processes outside of the group, with /proc", () => {
  test("timeout(1) leads its own group, and ends with the rest", async () => {
    const pids = await endedBySigterm("timeout 600 sleep 600; echo never");
    expect(await livingInSession(pids[0]!)).toEqual([]);
  });

  test("a child with its own session ends if its parent still runs", async () => {
    const pids = await endedBySigterm("setsid sh -c 'echo $$; exec sleep 600' & sleep 600");
    expect(isAlive(pids[1]!)).toBe(false);
  });

  test("a program name that imitates a line of the process table is parsed correctly", async () => {
    const program = join(await tempDir(), "a) Z 1 1 (b");
    execFileSync("cp", ["/bin/sleep", program]);
    const { pids } = await untilLimit(`set -m; '${program}' 600 & wait`);
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
      timeoutMs: 100,
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
  test("case 116: a child that holds the pipes is not waited for, and stays alive", async () => {
    const { end, stdout } = await exec("sleep 600 & echo $!");
    const child = Number(stdout.text);
    onTestFinished(() => void process.kill(child, "SIGKILL"));
    expect(end).toEqual({ kind: "exited", code: 0 });
    expect(isAlive(child)).toBe(true);
  });

  test("case 117: a daemon with redirected output causes no delay, and stays alive", async () => {
    const dir = await tempDir();
    const gate = await makeGate(dir);
    const log = await makeGate(dir, "log");
    const daemon = `read -r _ < '${gate.path}'; echo on duty > '${log.path}'; sleep 600`;
    const { stdout } = await exec(`(${daemon}) </dev/null >/dev/null 2>&1 & echo $$`);
    const leader = Number(stdout.text);
    onTestFinished(() => void process.kill(-leader, "SIGKILL"));
    await gate.open();
    expect(await readFile(log.path, "utf8")).toBe("on duty\n");
  });

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
