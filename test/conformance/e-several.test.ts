/** Several hooks of one stop (H12, H16, H17). */
import { EventEmitter, once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HookRun } from "@/node/services/hooks/contract/types";
import {
  block,
  group,
  HookProject,
  projectWith,
  says,
  stopWith,
  type Hook,
} from "@test/helpers/hooks/hookProject";
import { isAlive, makeGate, readPids, type Gate } from "@test/helpers/process/processes";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { eventually, expectSoon } from "@test/helpers/soon";

const waitAt = (gate: Gate) => `read -r _ < ${gate.path}`;

async function withGate(makeHooks: (gate: Gate) => Hook[]) {
  const project = await HookProject.create();
  const gate = await makeGate(project.session);
  await project.configure({ hooks: { Stop: [group(makeHooks(gate))] } });
  return { project, gate };
}

/** Returns a listener that opens the pipe when the hook at that position, counted from 1, has ended. */
const openAfter = (gate: Gate, place: number) => (event: { type: string; index?: number }) => {
  if (event.type === "hook-end" && event.index === place) void gate.open();
};

describe("order and time", () => {
  test("case 90: runs all hooks of a stop at the same time", async () => {
    // Each end of the pipe waits for the other, so hooks that run one after the other would block forever.
    const { project } = await withGate((gate) => [
      waitAt(gate),
      `echo > ${gate.path}; ${block("met")}`,
    ]);
    expect(await project.stop()).toMatchObject({ continueReason: "met" });
  });

  test("case 91: runs every hook to its end, regardless of an earlier decision", async () => {
    const { project, gate } = await withGate((gate) => [
      block("first"),
      `${waitAt(gate)}; echo logged > log`,
    ]);
    await project.stop({ onEvent: openAfter(gate, 1) });
    expect(await project.read("log")).toBe("logged\n");
  });

  test("case 92: orders reasons by configuration, not by time", async () => {
    const { project, gate } = await withGate((gate) => [
      `${waitAt(gate)}; ${block("slow")}`,
      block("quick"),
    ]);
    const result = await project.stop({ onEvent: openAfter(gate, 2) });
    expect(result.continueReason).toBe("slow\n\nquick");
    expect(result.runs.map(({ name }) => name)).toEqual(["project:Stop[0]", "project:Stop[1]"]);
  });
});

describe("combined verdicts", () => {
  test("case 94: a hook that approves, fails or exceeds its time does not outweigh a block", async () => {
    const result = await stopWith([
      says({ decision: "approve" }),
      "echo oops >&2; exit 1",
      { command: "sleep 600", timeout: 0.1 },
      block("R"),
    ]);
    expect(result.continueReason).toBe("R");
    expect(result.warnings).toEqual([
      expect.stringMatching(/exit code 1: oops/),
      expect.stringMatching(/timed out after 0\.1 s/),
    ]);
  });

  test("case 95: one continue false wins over every block, and the first stopReason is shown", async () => {
    const result = await stopWith([
      block("R"),
      says({ continue: false }),
      says({ continue: false, stopReason: "first" }),
      says({ continue: false, stopReason: "second" }),
    ]);
    expect(result).toMatchObject({ shouldStop: true, stopReason: "first" });
    expect(result.continueReason).toBeUndefined();
  });

  test("case 93, 96: sends equal reasons once, and all additional contexts in order after them", async () => {
    const context = (additionalContext: string) =>
      says({ hookSpecificOutput: { additionalContext } });
    const same = "echo R >&2; exit 2";
    const result = await stopWith([context("one"), block("R"), block("S"), same, context("two")]);
    expect(result).toMatchObject({ continueReason: "R\n\nS\n\none\n\ntwo", continueKind: "block" });
  });

  test("case 97: twenty hooks keep their order and leave no handles behind", async () => {
    const hooks = Array.from({ length: 20 }, (_, i) => says({ systemMessage: `${i}` }));
    const project = await projectWith(hooks);
    const interrupt = new AbortController();
    const stop = () => project.stop({ abortSignal: interrupt.signal });
    const warnings = await warningsDuring(stop);
    const before = await handles();
    const rounds = 2;
    for (let round = 0; round < rounds; round++) {
      expect((await stop()).systemMessages).toEqual(hooks.map((_, i) => `${i}`));
    }
    // A leak grows with each round. A connection to another machine may open or close a few handles at any time.
    await expectSoon(async () => {
      const { files, held, listeners } = await handles();
      const isFlat = (after: number, first: number): boolean => after - first < rounds;
      return [isFlat(files, before.files), isFlat(held.length, before.held.length), listeners];
    }).toEqual([true, true, before.listeners]);
    expect(warnings).toEqual([]);
  });

  test("case 97: twenty background hooks emit no warnings and end with the session", async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `echo $$ >> pids; exec sleep 600 # ${i}`);
    const project = await projectWith(lines.map((command) => ({ command, async: true })));
    const watched = new WatchedController(project);
    const warnings = await warningsDuring(async () => {
      await watched.turnEnds();
      await expectSoon(() => readPids(project.path("pids"))).toHaveLength(20);
    });
    expect(warnings).toEqual([]);
    await watched.controller.dispose();
    expect((await readPids(project.path("pids"))).filter(isAlive)).toEqual([]);
  });
});

/** Returns the warnings that Node emits during the work, such as possible listener leaks. */
async function warningsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  process.on("warning", note);
  try {
    await work();
    return warnings;
  } finally {
    process.off("warning", note);
  }
}

/** Returns the resources that this process holds open. */
async function handles() {
  const files = process.platform === "linux" ? (await readdir("/proc/self/fd")).length : 0;
  const held = process.getActiveResourcesInfo().filter((name) => !/Timeout|Immediate/.test(name));
  return { files, held: held.sort(), listeners: process.listenerCount("exit") };
}

describe("background hooks", () => {
  const context = (additionalContext: string, field: string, before = ":"): Hook => ({
    command: `${before}; ${says({ hookSpecificOutput: { additionalContext } })}`,
    [field]: true,
  });

  test.each(["async", "asyncRewake"])(
    "case 98: does not wait for a hook with %s",
    async (field) => {
      const { project, gate } = await withGate((gate) => [
        context("late", field, waitAt(gate)),
        { command: block("no gate"), [field]: true },
        says({ decision: "approve" }),
      ]);
      const ended = new EventEmitter();
      const late = once(ended, "project:Stop[0]");
      const result = await project.stop({ onBackgroundRun: (run) => ended.emit(run.name, run) });
      expect(result.shouldStop).toBe(true);
      expect(result.runs.map(({ outcome }) => outcome)).toEqual([
        "background",
        "background",
        "pass",
      ]);

      await gate.open();
      const [run] = (await late) as [HookRun];
      expect(run).toMatchObject({ outcome: "background", context: "late" });
      const records = await readFile(join(project.session, "hook-runs.jsonl"), "utf8");
      expect(records).toContain('"context":"late"');
    }
  );

  test("case 98: their context joins the next turn, and they end with the session", async () => {
    const { project, gate } = await withGate((gate) => [
      context("late", "async", waitAt(gate)),
      { command: "echo $$ > pid; exec sleep 600", async: true },
    ]);
    const watched = new WatchedController(project);
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.controller.takeBackgroundContext()).toBeUndefined();

    await gate.open();
    await expectSoon(() => watched.controller.takeBackgroundContext()).toBe("late");
    expect(watched.controller.takeBackgroundContext()).toBeUndefined();

    const [pid = 0] = await eventually(() => readPids(project.path("pid")));
    expect(isAlive(pid)).toBe(true);
    await watched.controller.dispose();
    expect(isAlive(pid)).toBe(false);
  });

  test("sends a finding of asyncRewake with the next message, and none of another exit code or of async (H41)", async () => {
    const project = await projectWith([
      { command: "echo found >&2; exit 2", asyncRewake: true },
      { command: "echo printed; exit 2", asyncRewake: true },
      { command: "echo failed >&2; exit 1", asyncRewake: true },
      { command: "echo alone >&2; exit 2", async: true },
    ]);
    const watched = new WatchedController(project);
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    const records = async () => await readFile(join(project.session, "hook-runs.jsonl"), "utf8");
    await expectSoon(async () => (await records()).split("\n")).toHaveLength(5);
    const found = (await records()).match(/(?<="finding":")\w+/g)?.sort();
    expect(found).toEqual(["found", "printed"]);
    const told = (): string[] =>
      watched.notices.flatMap((text) => /next message:\n(.*)/.exec(text)?.[1] ?? []).sort();
    await expectSoon(told).toEqual(["found", "printed"]);
    const context = watched.controller.takeBackgroundContext();
    expect(context?.split("\n\n").sort()).toEqual(["found", "printed"]);
  });

  test("keeps each finding whole up to its own limit (H17, H41)", async () => {
    const long = (letter: string): Hook => ({
      command: `head -c 9000 /dev/zero | tr '\\0' ${letter} >&2; exit 2`,
      asyncRewake: true,
    });
    const watched = new WatchedController(await projectWith([long("a"), long("b")]));
    await watched.turnEnds();
    const told = () => watched.notices.filter((text) => text.includes("next message:"));
    await expectSoon(told).toHaveLength(2);
    expect(watched.controller.takeBackgroundContext()).toHaveLength(2 * 9_000 + 2);
  });

  test("case 99: treats asyncRewake as async, and reports it in one notice", async () => {
    const project = await projectWith([context("later", "asyncRewake")]);
    const watched = new WatchedController(project);
    await watched.turnEnds();
    await watched.turnEnds();
    expect(watched.notices.filter((text) => text.includes("asyncRewake"))).toHaveLength(1);
  });
});
