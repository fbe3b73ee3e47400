/** Time limits, sizes and process cleanup (H20 to H23). */
import { getEventListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { group, HookProject, projectWith, type Hook } from "@test/helpers/hooks/hookProject";
import { isAlive, readPids } from "@test/helpers/process/processes";
import { isRemote } from "@test/helpers/remote/testRuntime";
import { expectSoon } from "@test/helpers/soon";

const BLOCK = '{"decision":"block","reason":"R"}';

/** Runs one hook in a new project, and measures how long it takes. */
async function timed(hook: Hook) {
  const project = await projectWith([hook]);
  // Opens the connection first if the project is on another machine.
  await project.runtime.stat([project.dir]);
  const started = performance.now();
  const result = await project.stop();
  return { project, result, run: result.runs[0], ms: performance.now() - started };
}

/** Result of a hook that exceeded its time limit: a warning and no decision. */
const LIMITED = {
  shouldStop: true,
  warnings: [expect.stringMatching(/timed out after [\d.]+ s/)],
};

describe.concurrent("at the time limit", () => {
  test("case 111: ends a hook, and ignores the verdict that it has printed", async ({ expect }) => {
    const { result, run, ms } = await timed({
      command: `echo '${BLOCK}'; sleep 600`,
      timeout: 0.5,
    });
    expect(result).toMatchObject(LIMITED);
    expect(result.continueReason).toBeUndefined();
    expect(run).toMatchObject({ outcome: "failed", end: { kind: "timedOut" } });
    expect(ms).toBeGreaterThanOrEqual(500);
  });

  test("case 113: ends descendants inside and outside of its process group", async ({ expect }) => {
    const jobs =
      "sleep 600 & echo $! >> pids; (sleep 600 & echo $! >> pids; wait) & echo $! >> pids";
    const { project, result } = await timed({
      command: `${jobs}; set -m; sleep 600 & echo $! >> pids; wait`,
      timeout: 1,
    });
    expect(result).toMatchObject(LIMITED);
    const pids = await readPids(project.path("pids"));
    expect(pids).toHaveLength(4);
    // Only the kernel's process table finds a job that leads its own process group.
    const reachable = process.platform === "linux" ? pids : pids.slice(0, 3);
    expect(reachable.filter(isAlive)).toEqual([]);
  });

  test("case 114: sends SIGKILL after the grace period to a process that ignores SIGTERM", async ({
    expect,
  }) => {
    const { project, result, ms } = await timed({
      command: "trap '' TERM; echo $$ > pids; sleep 600 & echo $! >> pids; wait",
      timeout: 0.5,
    });
    expect(result).toMatchObject(LIMITED);
    expect(ms).toBeGreaterThanOrEqual(2_500);
    expect((await readPids(project.path("pids"))).filter(isAlive)).toEqual([]);
  });

  test("case 115: a process that starts its own session with setsid does not delay the result", async ({
    expect,
  }) => {
    const { project, result } = await timed({
      command: "setsid sh -c 'echo $$ > pids; exec sleep 600'; true",
      timeout: 0.5,
    });
    expect(result).toMatchObject(LIMITED);
    const strays = (await readPids(project.path("pids"))).filter(isAlive);
    for (const pid of strays) process.kill(pid, "SIGKILL");
    if (process.platform === "linux") expect(strays).toEqual([]);
  });

  test("case 118: drops output that is printed after the limit", async ({ expect }) => {
    const { result, run } = await timed({
      command: `trap 'echo "${BLOCK.replaceAll('"', String.raw`\"`)}"; exit 0' TERM; echo early; sleep 600 & wait`,
      timeout: 0.5,
    });
    expect(result).toMatchObject(LIMITED);
    expect(run).toMatchObject({ stdout: "early", end: { kind: "timedOut" } });
  });
});

describe("the time limit of a hook", () => {
  test("case 112: is ten seconds by default, or that of the settings, and at most a day", async () => {
    const project = await HookProject.create();
    const hooks = [
      "true #0",
      { command: "true #1", timeout: 1.5 },
      { command: "true #2", timeout: 7_200 },
      { command: "true #3", timeout: 1e9 },
      { command: "true #4", dialect: "claude" },
    ];
    const settings = { hooks: { Stop: [group(hooks)] } };
    await project.configure(settings);
    const { runtime } = project;
    const exec = runtime.exec.bind(runtime);
    const limits: (number | undefined)[] = [];
    runtime.exec = (request) => {
      limits.push(request.timeoutMs);
      return exec(request);
    };
    const result = await project.stop();
    expect(result.runs.map(({ outcome }) => outcome)).toEqual(Array(5).fill("pass"));
    expect(limits.splice(0)).toEqual([10_000, 1_500, 7_200_000, 86_400_000, 600_000]);
    await project.configure({ ...settings, stopHooks: { timeout: 20 } });
    await project.stop();
    expect(limits).toEqual([20_000, 1_500, 7_200_000, 86_400_000, 20_000]);
  });

  test("case 112: is named in the warning, with the field and the file to change", async () => {
    const { project, result } = await timed({ command: "sleep 600", timeout: 0.1 });
    const file = project.path(".mux/settings.json").replaceAll(".", String.raw`\.`);
    expect(result.warnings?.[0]).toMatch(
      new RegExp(`raise its "timeout" \\(in seconds\\) at ${file}:\\d+`)
    );
  });
});

describe("a hook ends when its process exits, not when its pipes close", () => {
  test("case 116: a child that holds stdout open does not delay the verdict", async () => {
    const { project, result } = await timed(`sleep 600 & echo $! > pids; echo '${BLOCK}'`);
    expect(result.continueReason).toBe("R");
    for (const pid of await readPids(project.path("pids"))) process.kill(pid, "SIGKILL");
  });

  test("case 117: a daemon with redirected output keeps running", async () => {
    const { project, result } = await timed(
      "(sleep 600 >/dev/null 2>&1 </dev/null & echo $! > pids); echo started"
    );
    expect(result.shouldStop).toBe(true);
    expect(result.warnings).toBeUndefined();
    const [pid = 0] = await readPids(project.path("pids"));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });
});

describe("output size", () => {
  const MIB = 1024 * 1024;

  test("case 119: drains and counts megabytes of output without keeping them", async () => {
    const before = process.memoryUsage().rss;
    // Over SSH all of it is encrypted.
    const size = isRemote ? 20 : 120;
    const { result, run } = await timed(`yes | head -c ${size}M; echo done >&2; exit 2`);
    expect(result.continueReason).toBe("done");
    expect(run?.stdoutBytes).toBe(size * MIB);
    expect(run?.stdout?.length).toBeLessThanOrEqual(2_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  });

  test("case 119: treats JSON above the size limit as text, with a warning", async () => {
    const long = `printf '{"decision":"block","reason":"'; head -c 2M /dev/zero | tr '\\0' x; printf '"}'`;
    const { result, run } = await timed(long);
    expect(result.shouldStop).toBe(true);
    expect(result.warnings).toEqual([
      expect.stringContaining("JSON output was truncated at 1 MiB"),
    ]);
    expect(run?.stdoutBytes).toBe(2 * MIB + 32);
  });

  test("case 120: shortens a long reason, and saves the whole text beside the transcript", async () => {
    const { project, result } = await timed("printf %050000d 0 >&2; printf ' last' >&2; exit 2");
    const reason = result.continueReason ?? "";
    expect(reason.length).toBeLessThanOrEqual(10_000);
    expect(reason).toMatch(/^0{4000,}\n[\s\S]*\n0{4000,} last$/);
    const path = /full text in (\S+)/.exec(reason)?.[1] ?? "";
    if (!isRemote) expect(path.startsWith(join(project.session, "/"))).toBe(true);
    expect(await readFile(path, "utf8")).toBe(`${"0".repeat(50_000)} last`);
  });
});

describe("timers and clocks", () => {
  afterEach(() => void vi.useRealTimers());

  test("case 121: leaves no timer, listener or process behind", async () => {
    const slow = { command: "sleep 600", timeout: 0.1 };
    const project = await projectWith(["true", "exit 2", "nope-no-such-program", slow]);
    const interrupt = new AbortController();
    const stop = () => project.stop({ abortSignal: interrupt.signal });
    const active = (): string[] => process.getActiveResourcesInfo().sort();
    const processes = (): number => active().filter((kind) => kind === "ProcessWrap").length;
    const others = processes();
    // Over SSH, the client of the last command ends soon after its answer.
    const ended = async (): Promise<void> => {
      await expectSoon(processes).toBeLessThanOrEqual(others);
    };
    await stop();
    await ended();
    const before = active();
    await stop();
    await ended();
    expect(active()).toEqual(before);
    expect(getEventListeners(interrupt.signal, "abort")).toEqual([]);
  });

  test("case 122: a change of the system clock affects neither durations nor limits", async () => {
    const project = await projectWith(["echo ok"]);
    vi.useFakeTimers({ toFake: ["Date"] });
    const { runs } = await project.stop({
      onEvent: ({ type }) => {
        if (type === "hook-start") vi.setSystemTime(Date.now() + 86_400_000);
      },
    });
    expect(runs[0]).toMatchObject({ outcome: "pass", stdout: "ok" });
    expect(runs[0]?.durationMs).toBeGreaterThanOrEqual(0);
    expect(runs[0]?.durationMs).toBeLessThan(86_400_000);
  });
});
