/** Time limits, sizes and process cleanup (H20 to H23). */
import { getEventListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  group,
  HookProject,
  projectWith,
  stopWith,
  type Hook,
  type RanStop,
} from "@test/helpers/hooks/hookProject";
import { isAlive, readPids } from "@test/helpers/process/processes";
import { isRemote, testHere } from "@test/helpers/remote/testRuntime";
import { expectSoon } from "@test/helpers/soon";

const BLOCK = '{"decision":"block","reason":"R"}';

describe("at the time limit", () => {
  const HOOKS: Record<string, Hook> = {
    hanging: { command: `echo '${BLOCK}'; sleep 600`, timeout: 0.5 },
    parent: {
      command:
        "sleep 600 & echo $! >> tree; (sleep 600 & echo $! >> tree; wait) & echo $! >> tree; " +
        "set -m; sleep 600 & echo $! >> tree; wait",
      timeout: 3,
    },
    stubborn: {
      command: "trap '' TERM; echo $$ > deaf; sleep 600 & echo $! >> deaf; wait",
      timeout: 3,
    },
    leaving: { command: "setsid sh -c 'echo $$ > left; exec sleep 600'; true", timeout: 3 },
    late: {
      command: `trap 'echo "${BLOCK.replaceAll('"', String.raw`\"`)}"; exit 0' TERM; echo early; sleep 600 & wait`,
      timeout: 3,
    },
  };
  const hooks = Object.values(HOOKS);
  let project: HookProject;
  let result: RanStop;

  beforeAll(async () => {
    project = await projectWith(hooks);
    result = await project.stop();
  });

  const runOf = (name: string) => result.runs[Object.keys(HOOKS).indexOf(name)];
  const alive = async (file: string) => (await readPids(project.path(file))).filter(isAlive);

  test("case 111: ends hooks, warns, and ignores the verdict that one has printed", () => {
    expect(result.shouldStop).toBe(true);
    expect(result.continueReason).toBeUndefined();
    expect(result.warnings).toEqual(
      hooks.map(() => expect.stringMatching(/timed out after [\d.]+ s/) as string)
    );
    const end = { outcome: "failed", end: { kind: "timedOut" } };
    expect(result.runs).toMatchObject(hooks.map(() => end));
    expect(runOf("hanging")?.durationMs).toBeGreaterThanOrEqual(500);
  });

  test("case 112: names the field and the file to change", () => {
    const file = project.path(".mux/settings.json").replaceAll(".", String.raw`\.`);
    expect(result.warnings?.[0]).toMatch(
      new RegExp(`raise its "timeout" \\(in seconds\\) at ${file}:\\d+`)
    );
  });

  test("case 113: ends descendants inside and outside of its process group", async () => {
    const pids = await readPids(project.path("tree"));
    expect(pids).toHaveLength(4);
    // Only the kernel's process table finds a job that leads its own process group.
    const reachable = process.platform === "linux" ? pids : pids.slice(0, 3);
    expect(reachable.filter(isAlive)).toEqual([]);
  });

  test("case 114: sends SIGKILL after the grace period to a process that ignores SIGTERM", async () => {
    expect(runOf("stubborn")?.durationMs).toBeGreaterThanOrEqual(5_000);
    expect(await alive("deaf")).toEqual([]);
  });

  test("case 115: a process that starts its own session with setsid does not delay the result", async () => {
    const strays = await alive("left");
    for (const pid of strays) process.kill(pid, "SIGKILL");
    if (process.platform === "linux") expect(strays).toEqual([]);
  });

  test("case 118: drops output that is printed after the limit", () => {
    expect(runOf("late")?.stdout).toBe("early");
  });
});

testHere(
  "case 112: the time limit is ten seconds by default, or that of the settings, and at most a day",
  async () => {
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
  }
);

test("case 116, 117: a child that holds stdout open does not delay the verdict, and a daemon with redirected output keeps running", async () => {
  const project = await projectWith([
    `sleep 600 & echo $! > child; echo '${BLOCK}'`,
    "(sleep 600 >/dev/null 2>&1 </dev/null & echo $! > daemon); echo started",
  ]);
  const { continueReason, warnings, runs } = await project.stop();
  expect(continueReason).toBe("R");
  expect(warnings).toBeUndefined();
  expect(runs[1]).toMatchObject({ outcome: "pass", stdout: "started" });
  for (const pid of await readPids(project.path("child"))) process.kill(pid, "SIGKILL");
  const [pid = 0] = await readPids(project.path("daemon"));
  expect(isAlive(pid)).toBe(true);
  process.kill(pid, "SIGKILL");
});

describe("output size", () => {
  const MIB = 1024 * 1024;

  test("case 119: drains and counts megabytes without keeping them, and treats JSON above the limit as text, with a warning", async () => {
    const before = process.memoryUsage().rss;
    // Over SSH all of it is encrypted.
    const size = isRemote ? 20 : 120;
    const { continueReason, warnings, runs } = await stopWith([
      `yes | head -c ${size}M; echo done >&2; exit 2`,
      `printf '{"decision":"block","reason":"'; head -c 2M /dev/zero | tr '\\0' x; printf '"}'`,
    ]);
    expect(continueReason).toBe("done");
    expect(warnings).toEqual([expect.stringContaining("JSON output was truncated at 1 MiB")]);
    expect(runs.map(({ stdoutBytes }) => stdoutBytes)).toEqual([size * MIB, 2 * MIB + 32]);
    expect(runs[0]?.stdout?.length).toBeLessThanOrEqual(2_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  });

  test("case 120: shortens a long reason, and saves the whole text beside the transcript", async () => {
    const project = await projectWith(["printf %050000d 0 >&2; printf ' last' >&2; exit 2"]);
    const { continueReason: reason = "" } = await project.stop();
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

  testHere(
    "case 122: a change of the system clock affects neither durations nor limits",
    async () => {
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
    }
  );
});
