import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { expect, onTestFinished, test, describe, vi } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { agentGauntletBin } from "@test/helpers/freshBuild";
import { expectSoon } from "@test/helpers/soon";
import { tempDir } from "@test/helpers/tempDir";
import { setTimeout as delay } from "node:timers/promises";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { RunLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { start, type StopHookAnswer } from "@test/helpers/gauntlet/stopHookCommand";
import { stop, stopInProcess } from "@test/helpers/gauntlet/stopInProcess";
import { stopAt, type StopOptions } from "@test/helpers/gauntlet/stops";
import { makeGate } from "@test/helpers/process/processes";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
/** Counts its runs outside the working tree. */
const CHECK = "command: echo >> ../.git/runs; test ! -e bad\n";
/** Ends when its gate opens. */
const HELD = "command: echo >> ../.git/runs; read -r -t 30 <> ../.git/gate; test ! -e bad\n";

async function changedProject(check = CHECK): Promise<GauntletProject> {
  const project = await GauntletProject.create(CONFIG, { ok: check });
  await project.write("src/new.txt", "x");
  return project;
}

async function badProject(check = CHECK): Promise<GauntletProject> {
  const project = await changedProject(check);
  await project.write("src/bad", "x");
  return project;
}

const runsOf = async (project: GauntletProject): Promise<number> =>
  (await project.read(".git/runs").catch(() => "")).length;

async function untilRuns(project: GauntletProject, count: number): Promise<void> {
  await expectSoon(() => runsOf(project)).toBeGreaterThanOrEqual(count);
}

async function lock(project: GauntletProject): Promise<RunLock> {
  const identity = await currentProcess(new LocalFiles());
  const logDir = project.path("gauntlet_logs");
  return (await RunLock.acquire(project.runtime, logDir, identity, new Date()))._unsafeUnwrap();
}

describe("a stop that meets a run (G40)", () => {
  test("waits, and accepts the pass of exactly this tree; it runs if the other run failed, and blocks its own agent, or if the tree is another one by then", async () => {
    const project = await changedProject(HELD);
    const gate = await makeGate(project.path(".git"));
    const first = stopAt(project, { sessionId: "a" });
    await untilRuns(project, 1);
    const second = stopAt(project, { sessionId: "b" });
    await gate.open();
    expect((await first).result.status).toBe("passed");
    expect((await second).result.status).toBe("no_changes");
    expect(await runsOf(project)).toBe(1);

    await project.write("src/bad", "x");
    const failing = stopAt(project, { sessionId: "a" });
    await untilRuns(project, 2);
    const own = stopAt(project, { sessionId: "b" });
    await gate.open();
    expect((await failing).result.status).toBe("failed");
    await untilRuns(project, 3);
    await gate.open();
    expect((await own).result).toMatchObject({ status: "failed", attempt: 1 });

    await project.remove("src/bad");
    const byHand = project.run();
    await untilRuns(project, 4);
    const other = stopAt(project, { sessionId: "b" });
    await project.write("src/bad", "x");
    await gate.open();
    // The check of the other run sees the new file and fails, so this stop runs it itself.
    await untilRuns(project, 5);
    await gate.open();
    await byHand;
    expect((await other).result.status).toBe("failed");
  });

  test("waits at most until an interrupt or its own limit, at which it reports the other run, and looks at the lock at most twenty times a second", async () => {
    const project = await badProject();
    const held = await lock(project);
    const stopped = await stopAt(project, { signal: AbortSignal.timeout(50) });
    expect(stopped.result).toMatchObject({ status: "infrastructure_error", gatesRun: 0 });
    expect(await project.logs()).toEqual([".gauntlet-run.lock"]);

    const look = vi.spyOn(project.runtime, "readFile");
    await stopAt(project, { limitMs: 1 });
    const once = look.mock.calls.length;
    const begun = performance.now();
    const { result, personMessage } = await stopAt(project, { limitMs: 1_000 });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
    expect(look.mock.calls.length - 2 * once).toBeLessThanOrEqual(20);
    expect(result.status).toBe("lock_exists");
    expect(personMessage).toMatch(
      new RegExp(`process ${process.pid} .*; no gate was run; the next stop runs them$`)
    );
    await held.release();
    expect((await stopAt(project, { limitMs: 60_000 })).result.status).toBe("failed");
  });
});

/** What a host sends to each of its Stop hooks at one stop. */
const input = (project: GauntletProject, more = {}): string =>
  `${JSON.stringify({
    session_id: "s",
    cwd: project.dir,
    stop_hook_active: false,
    last_assistant_message: "Done.",
    ...more,
  })}\n`;

describe("two hooks that call for one stop (G40)", () => {
  async function both(project: GauntletProject): Promise<StopHookAnswer[]> {
    const gate = await makeGate(project.path(".git"));
    const commands = await Promise.all(
      [1, 2].map(() => start(project.dir, { args: ["--verify"] }))
    );
    const answers = commands.map((command) => command.send(input(project)).answer());
    // A command that cannot start rejects its answer.
    await Promise.race([untilRuns(project, 1), Promise.all(answers)]);
    await gate.open();
    return await Promise.all(answers);
  }

  test("give one reason and cost one attempt", async () => {
    const project = await badProject(HELD);
    const answers = await both(project);
    const [blocked, silent] = answers.toSorted((a) => (a.decision === "block" ? -1 : 1));
    expect(blocked).toMatchObject({ decision: "block", status: "failed" });
    expect(silent).toMatchObject({ decision: "approve", status: "stop_hook_active" });
    expect(silent).not.toHaveProperty("systemMessage");
    expect(silent!.message).toContain("installed more than once");
    expect(await runsOf(project)).toBe(1);
    await project.write(".gauntlet/checks/ok.yml", CHECK);
    expect((await stopAt(project, { sessionId: "s" })).result.attempt).toBe(2);
  });

  test("give one message about a postponed stop, a stop at the retry limit, and one after it", async () => {
    const project = await badProject();
    await project.write(".gauntlet/config.yml", `base_branch: main\nmax_retries: 0\n${CONFIG}`);
    for (const [more, status] of [
      [{ backgroundTasks: [{ id: "a", type: "subagent" }] }, "postponed"],
      [{}, "retry_limit_exceeded"],
      [{ lastMessage: "Again." }, "retry_limit_exceeded"],
    ] as const) {
      const startedAt = Date.now();
      const calls = [1, 2].map(async () => {
        const decision = await stopAt(project, { sessionId: "s", turnId: "t", startedAt, ...more });
        await decision.answered?.();
        return decision;
      });
      const decisions = await Promise.all(calls);
      const told = decisions.filter(({ personMessage }) => personMessage !== undefined);
      expect(told.map(({ result }) => result.status)).toEqual([status]);
    }
  });

  test("block if the first one is killed before it has answered", async () => {
    // The check of the killed command may outlive it, so a gate for one reader would not do.
    const project = await badProject(
      "command: echo >> ../.git/runs; until test -e ../.git/go; do sleep 0.02; done; exit 3\n"
    );
    const first = await start(project.dir, { args: ["--verify"] });
    first.send(input(project));
    await untilRuns(project, 1);
    const second = await start(project.dir, { args: ["--verify"] });
    const answer = second.send(input(project)).answer();
    await delay(300);
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    await untilRuns(project, 2);
    await project.write(".git/go", "");
    expect(await answer).toMatchObject({ decision: "block", status: "failed" });
  });

  test("do not wait for one that failed unexpectedly (G40)", async () => {
    const project = await badProject();
    const stop = () => stopAt(project, { sessionId: "s", startedAt: Date.now(), limitMs: 60_000 });
    const read = vi.spyOn(TurnStore.prototype, "read").mockImplementation((folder) => {
      if (folder === "sessions") throw new Error("broken");
      return Promise.resolve(undefined);
    });
    const { result, answered } = await stop();
    read.mockRestore();
    await answered?.();
    expect([result.status, (await stop()).result.status]).toEqual(["error", "failed"]);
  });

  test("do not silence the next stop with the same text", async () => {
    const project = await badProject();
    const stopped: StopOptions = { sessionId: "s", lastMessage: "Done." };
    // Also if it begins in the millisecond of the first answer.
    const startedAt = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(startedAt);
    onTestFinished(() => {
      clock.mockRestore();
    });
    for (const attempt of [1, 2]) {
      const decision = await stopAt(project, { ...stopped, startedAt });
      expect(decision.result).toMatchObject({ status: "failed", attempt });
      await decision.answered?.();
    }
  });
});

/** The two forms in which Copilot CLI calls the hooks of the user and of the project. */
const forms = (project: GauntletProject, at: number) => [
  { sessionId: "s", timestamp: at, cwd: project.dir, stopReason: "end_turn" },
  {
    ...{ session_id: "s", cwd: project.dir, hook_event_name: "Stop", stop_reason: "end_turn" },
    ...{ timestamp: new Date(at).toISOString(), stop_hook_active: false },
  },
];

test("hooks that run one after the other for a stop with an ID repeat the reason, and cost one attempt (G40)", async () => {
  const project = await badProject();
  await project.write(".gauntlet/config.yml", `base_branch: main\nmax_retries: 1\n${CONFIG}`);
  const home = await tempDir();
  const answers: (readonly [string, string | undefined])[] = [];
  for (const at of [1_000, 2_000]) {
    await project.write("src/new.txt", String(at));
    for (const form of forms(project, at)) {
      const place = { cwd: project.dir, home, args: ["--verify"] };
      const { code, stdout, stderr } = await stopInProcess(form, place);
      const text = code === 0 ? (JSON.parse(stdout) as StopHookAnswer).reason : stderr;
      answers.push([code === 0 ? "answer" : "message", text] as const);
    }
  }
  const [[, first] = [], [, twin] = []] = answers;
  expect(first).toContain("check:src:ok");
  expect(twin).toBe(first);
  // The user sees the end of the attempts once.
  expect(answers.slice(2)).toEqual([
    ["message", expect.stringContaining("retry limit exceeded")],
    ["answer", undefined],
  ]);
  expect(await runsOf(project)).toBe(2);
});

const turnStart = async (project: GauntletProject): Promise<string> => {
  const message = JSON.stringify({ session_id: "s", effort: {}, prompt: "Go on." });
  const command = await start(project.dir, { command: "turn-start" });
  return (await command.close(message).end).stdout;
};

test("a stop whose process was ended by its host is named at the next message and once at the next stop, unless the user interrupted it (G40)", async () => {
  const project = await changedProject(
    "command: echo >> ../.git/runs; until test -e ../.git/go; do sleep 0.02; done\n"
  );
  const ended = "was ended before it had answered";
  const nextStop = async (text: string): Promise<string> => {
    await project.write("src/new.txt", text);
    const more = { last_assistant_message: text };
    const next = await stop(project.dir, input(project, more), { args: ["--verify"] });
    expect(next.status).toBe("passed");
    return next.systemMessage ?? "";
  };
  for (const signal of ["SIGINT", "SIGKILL", "SIGTERM"] as const) {
    await project.write("src/new.txt", `before ${signal}`);
    await rm(project.path(".git/go"), { force: true });
    const runs = await runsOf(project);
    const stopped = await start(project.dir, { args: ["--verify"] });
    stopped.send(input(project));
    await untilRuns(project, runs + 1);
    stopped.child.kill(signal);
    await once(stopped.child, "exit");
    await project.write(".git/go", "");
    const told = await turnStart(project);
    if (signal === "SIGINT") expect(told).toBe("");
    const named = await nextStop(`after ${signal}`);
    const isTold = [told, named].map((text) => text.includes(ended));
    expect([signal, ...isTold]).toEqual([signal, signal !== "SIGINT", signal !== "SIGINT"]);
    if (signal === "SIGKILL") expect(await nextStop("later")).not.toContain(ended);
  }
});

/** An agent that starts its hooks by a shell, says what the stop was answered, and waits for the end of its input. */
const AGENT = `
const { spawnSync } = require("node:child_process");
const hook = (name) => spawnSync("sh", ["-c", \`"$NODE" "$BIN" \${name}; exit $?\`], {
  input: JSON.stringify({ session_id: "s", prompt: "Do it.", stop_hook_active: false }),
  encoding: "utf8",
}).stdout;
hook("turn-start");
require("node:fs").writeFileSync("src/bad", "x");
console.log(JSON.parse(hook("stop-hook")).status);
process.stdin.resume();
`;

test("clean keeps a gate of a running session, and drops it once the agent has ended (G18a)", async () => {
  const config = "entry_points:\n  - path: src\n    checks: [ok]\n";
  const project = await GauntletProject.create(config, { ok: "command: test ! -e bad\n" });
  const home = await tempDir();
  await trustNow(project.dir, home);
  const env = { ...PROJECT_ENV, HOME: home, NODE: process.execPath, BIN: agentGauntletBin };
  const agent = spawn(process.execPath, ["-e", AGENT], { cwd: project.dir, env });
  onTestFinished(() => void agent.kill("SIGKILL"));
  const [answer] = (await once(createInterface(agent.stdout), "line")) as [string];
  expect(answer).toBe("failed");

  const during = await agentGauntlet(project, ["clean"]);
  expect(during.stdout).toContain("Kept unresolved: check:src:ok");
  agent.stdin.end();
  await once(agent, "exit");
  const after = await agentGauntlet(project, ["clean"]);
  expect(after.stdout).toContain("Dropped: check:src:ok");
});
