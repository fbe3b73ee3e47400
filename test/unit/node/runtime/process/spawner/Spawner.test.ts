import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { KILL_GRACE_MS, MAX_LIVE_CHARS } from "@/common/limits";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { runByExeca } from "@/node/runtime/process/runByExeca";
import { sendSignal } from "@/node/runtime/process/ProcessTree";
import type { ExecResult } from "@/node/runtime/HookRuntime";
import { repository } from "@test/helpers/freshBuild";
import { childScript } from "@test/helpers/process/childScript";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { livingInSession } from "@test/helpers/process/processGroups";
import { isAlive, makeGate, readPids } from "@test/helpers/process/processes";
import { runBySpawner } from "@test/helpers/process/spawner";
import { folderWith, tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

function bash(script: string): Parameters<typeof runProgram>[0] {
  return { file: "bash", args: ["-c", script], cwd: "/", env: { PATH: process.env.PATH } };
}

/** Returns the parent process of a program: the spawner, or the test itself. */
async function parentOf(run: typeof runProgram): Promise<number> {
  return Number((await run(bash("echo $PPID"), {})).stdout.text);
}

// test/integration/spawnedPrograms.test.ts repeats all tests of programs with a spawner.
describe("runBySpawner", () => {
  const run = runBySpawner();
  test("passes the beginning of the output on, as `runByExeca` does, while the program runs", async () => {
    for (const start of [run, runByExeca]) {
      const gate = await makeGate(await tempDir());
      const shown: [string, boolean][] = [];
      const script = `printf 'gr\\303'; read -r _ < ${gate.path}; printf '\\274n\\n'; yes | head -c 100000 >&2`;
      const ended = start(bash(script), { onOutput: (...output) => shown.push(output) });
      await expectSoon(() => shown).toEqual([["gr", false]]);
      await gate.open();
      await ended;
      const textOf = (wanted: boolean): string =>
        shown.flatMap(([text, isError]) => (isError === wanted ? [text] : [])).join("");
      expect(textOf(false)).toBe("gr\u00fcn\n");
      expect(textOf(true)).toHaveLength(MAX_LIVE_CHARS);
    }
  });

  test("writes header and footer of a log", async () => {
    const path = join(await tempDir(), "log");
    const ends: unknown[] = [];
    const result = await run(bash("echo line; exit 4"), {
      logTo: {
        path,
        keepBytes: 100,
        header: "begin\n",
        footer: ({ end }) => {
          ends.push(end);
          return "end\n";
        },
      },
    });
    expect(result).toMatchObject({ end: { kind: "exited", code: 4 }, stdout: { bytes: 5 } });
    expect(await readFile(path, "utf8")).toBe("begin\nline\nend\n");
    expect(ends).toEqual([{ kind: "exited", code: 4 }]);
  });

  test("starts no program if its log cannot be written", async () => {
    const { end } = await run(bash("true"), { logTo: { path: "/dev/null/log", keepBytes: 1 } });
    expect(end).toMatchObject({ kind: "notStarted", code: "ENOTDIR" });
  });
});

describe("a spawner", () => {
  const run = runBySpawner();
  let loaded: string;
  let spawner: number;
  beforeAll(async () => {
    loaded = join(await tempDir(), "loaded");
    const probe = `${loaded}.cjs`;
    await writeFile(probe, `require("node:fs").writeFileSync(${JSON.stringify(loaded)}, "")`);
    const { NODE_OPTIONS } = process.env;
    const { versions } = process;
    process.env.NODE_OPTIONS = `--require=${probe}`;
    Object.defineProperty(process, "versions", { value: { ...versions, electron: "30.0.0" } });
    spawner = await parentOf(run);
    Object.defineProperty(process, "versions", { value: versions });
    if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = NODE_OPTIONS;
  });

  test("is one process for all programs, with its own session", async () => {
    expect(spawner).not.toBe(process.pid);
    expect(await Promise.all([parentOf(run), parentOf(run)])).toEqual([spawner, spawner]);
    expect(await livingInSession(spawner)).toHaveLength(1);
  });

  test("does not load the modules of the host's NODE_OPTIONS", () => {
    expect(existsSync(loaded)).toBe(false);
  });

  test.runIf(process.platform === "linux")("is started as Node in a desktop app", async () => {
    const environ = await readFile(`/proc/${spawner}/environ`, "utf8");
    expect(environ.split("\0")).toContain("ELECTRON_RUN_AS_NODE=1");
  });

  test.each(["TERM", "INT", "HUP"])("is not ended by SIG%s from a hook", async (signal) => {
    const { end } = await run(bash(`kill -${signal} $PPID; exit 2`), {});
    expect(end).toEqual({ kind: "exited", code: 2 });
    expect(await parentOf(run)).toBe(spawner);
  });
});

function useFakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("a spawner that fails", () => {
  const said: string[] = [];
  afterEach(() => void said.splice(0));

  test("ends its programs, and is started again, until the host replaces it after the third loss", async () => {
    const run = runBySpawner(said);
    const parent = await parentOf(run);
    const dir = await tempDir();
    const { path } = await makeGate(dir);
    const pids = join(dir, "pids");
    const tell = `echo $$ >'${pids}'; sleep 600 & echo $! >>'${pids}'; echo >'${path}'; wait`;
    const running = run(bash(tell), {});
    await readFile(path);
    expect(await parentOf(run)).toBe(parent);
    process.kill(parent, "SIGKILL");
    const { end, stdout } = await running;
    const message = "the process that started the program ended (SIGKILL)";
    expect(end).toEqual({ kind: "lost", message });
    expect(stdout).toEqual({ text: "", bytes: 0, truncated: false });
    const tree = await readPids(pids);
    await expectSoon(() => tree.filter(isAlive)).toEqual([]);
    const next = await parentOf(run);
    expect([parent, process.pid]).not.toContain(next);
    for (let loss = 1; loss < 3; loss++) await run(bash("kill -9 $PPID"), {});
    const lost = "the process that starts hooks ended (SIGKILL); the next hook starts it again";
    expect(said).toEqual([lost, lost, expect.stringMatching("are started without it from now on")]);
    expect(await parentOf(run)).toBe(process.pid);
  });

  test("is killed if it does not respond, and a cancelled program is still cancelled", async () => {
    const run = runBySpawner(said);
    const spawner = await parentOf(run);
    useFakeTimeouts();
    const user = new AbortController();
    process.kill(spawner, "SIGSTOP");
    onTestFinished(() => void sendSignal(spawner, "SIGKILL"));
    const running: Promise<ExecResult>[] = [
      run(bash("true"), { signal: user.signal }),
      run(bash("true"), { timeoutMs: 3_600_000 }),
    ];
    user.abort();
    await expectSoon(() => vi.getTimerCount()).toBe(2);
    vi.advanceTimersByTime(KILL_GRACE_MS + 10_000);
    const ends = (await Promise.all(running)).map(({ end }) => end.kind);
    expect(ends).toEqual(["cancelled", "lost"]);
    expect(isAlive(spawner)).toBe(false);
  });

  test("is not used if it is not ready in time, and is tried again later", async () => {
    const dir = await folderWith({ "spawnerThread.cjs": "setInterval(() => undefined, 1_000);\n" });
    useFakeTimeouts();
    const run = runBySpawner(said, { dir, startMs: 2_000 });
    const slow = parentOf(run);
    await expectSoon(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2_000);
    expect(await slow).toBe(process.pid);
    expect(await parentOf(run)).toBe(process.pid);
    expect(said).toEqual([expect.stringMatching(/^the process that .* was not ready within 2 s/)]);
    for (const name of ["spawnerThread.cjs", "spawnerProcess.cjs"]) {
      await copyFile(join(repository, "dist", "host", name), join(dir, name));
    }
    // Ends the pause of 30 s. The fake clock stops then, so the start cannot exceed its limit.
    vi.advanceTimersByTime(30_000);
    expect(await parentOf(run)).not.toBe(process.pid);
    expect(said).toHaveLength(1);
  });

  test("is replaced by the host if it cannot be started, with one warning", async () => {
    const run = runBySpawner(said, { dir: await tempDir() });
    expect(await Promise.all([parentOf(run), parentOf(run)])).toEqual([process.pid, process.pid]);
    expect(await parentOf(run)).toBe(process.pid);
    const problem = /could not be started, so hooks are started without it/;
    expect(said).toEqual([expect.stringMatching(problem)]);
  });
});

describe("a host with a spawner", () => {
  const host = "spawningHost";
  interface Seen {
    before: number[];
    after: number[];
  }

  test("starts no spawner if no program runs", async () => {
    expect(await runInFreshNode(host)).toMatchObject({ before: [], after: [] });
  });

  test("exits when it has nothing else to do, and the spawner with it", async () => {
    const { before, after } = (await runInFreshNode(host, ["true", "true"])) as Seen;
    expect(before).toEqual([]);
    expect(after).toHaveLength(1);
    await expectSoon(() => after.filter(isAlive)).toEqual([]);
  });

  test("leaves no process behind when it is killed, even if one ignores SIGTERM", async () => {
    const dir = await tempDir();
    const { path } = await makeGate(dir);
    const script = `trap '' TERM; echo $PPID $$ >'${dir}/pids'; sleep 60 & echo >'${path}'; wait`;
    const args = [await childScript(host), script];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    await readFile(path);
    const pids = await readFile(join(dir, "pids"), "utf8");
    const [spawner = 0, leader = 0] = pids.split(" ").map(Number);
    expect(isAlive(leader)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    await expectSoon(() => isAlive(spawner)).toBe(false);
    await expectSoon(() => livingInSession(leader)).toEqual([]);
  });
});
