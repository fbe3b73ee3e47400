/** Runs that lose the connection at each of their round trips: their results, and the run after them (H35, G17). */
import { PassThrough } from "node:stream";
import { describe, expect, test, vi } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { RemoteSession, RemoteShell, SessionEnd } from "@/node/runtime/remote/RemoteShell";
import type { RunListener, RunResult } from "@/node/services/gauntlet/domain/runResult";
import { gauntletHook } from "@/node/services/gauntlet/hook/stopHook";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopInput } from "@test/helpers/hooks/hookProject";
import { farRuntime, LocalShell } from "@test/helpers/remote/localShell";
import { restoring } from "@test/helpers/restoring";

const CONFIG = "max_retries: 99\nentry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: "command: test ! -e bad\n" };
const GONE = "the connection was cut";

/** Returns a distance between the round trips that are lost. `LOST_STEPS=all` loses every one. */
const every = (step: number): number => (process.env.LOST_STEPS === "all" ? 1 : step);

/** Returns which of so many round trips to lose before they reach the machine, and which with only the reply lost. */
function lossesIn(count: number, step: number): [at: number, isAnswerLost: boolean][] {
  const all = Array.from({ length: count }, (_, i) => i + 1);
  return [
    ...all.filter((at) => (at - 1) % step === 0).map((at): [number, boolean] => [at, false]),
    ...all.filter((at) => at % step === 0).map((at): [number, boolean] => [at, true]),
  ];
}

/** A shell whose sessions fail from a given one on. */
class FailingShell implements RemoteShell {
  readonly label = "ssh://box";
  sessions = 0;
  readonly #shell = new LocalShell();

  constructor(
    private lostAt = Infinity,
    /** Whether the first failing session still does its work on the other machine. */
    private readonly isAnswerLost = false,
    /** Whether only that session fails. */
    private readonly isBackAtOnce = false,
    private readonly code?: string
  ) {}

  loseNext(): void {
    this.lostAt = this.sessions + 1;
  }

  async open(line: string): Promise<RemoteSession> {
    const session = ++this.sessions;
    const isHere = session < this.lostAt || (this.isBackAtOnce && session > this.lostAt);
    if (isHere) return await this.#shell.open(line);
    const kill = (): void => undefined;
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    let ended = Promise.resolve<SessionEnd>({ kind: "broken", code: this.code, message: GONE });
    if (session === this.lostAt && this.isAnswerLost) {
      const there = await this.#shell.open(line);
      stdin.pipe(there.stdin);
      // A program that has started is cancelled, as with a real lost connection.
      there.stdout.on("data", () => there.stdin.end());
      there.stderr.resume();
      ended = there.ended.then(() => ({ kind: "broken", code: this.code, message: GONE }));
    }
    void ended.then(() => {
      stdout.end();
      stderr.end();
    });
    return { stdin, stdout, stderr, ended, kill };
  }

  dispose(): Promise<void> {
    return this.#shell.dispose();
  }
}

async function run(
  project: GauntletProject,
  shell: FailingShell,
  listener: RunListener = () => undefined
): Promise<RunResult> {
  const runtime = new RemoteRuntime(shell, new LocalFiles());
  try {
    return await executeRun({ runtime, projectDir: project.dir, env: {}, listener });
  } finally {
    await runtime.dispose();
  }
}

/** Creates a project after a run that passed. */
const settledProject = restoring(async () => {
  const project = await GauntletProject.create(CONFIG, CHECK);
  await project.write("src/new.txt", "x");
  expect((await project.run()).status).toBe("passed");
  return project;
});

describe("lost at any of its round trips, before it reached the machine or with only the reply lost,", () => {
  test("a run without changes verifies nothing, and the next one gets the lock (G17)", async () => {
    const project = await settledProject();
    // The first run in the copy of the project begins with a new index.
    await project.run();
    const whole = new FailingShell();
    expect((await run(project, whole)).status).toBe("no_changes");
    const step = every(11);
    const left = { sent: 0, answered: 0 };
    for (const [at, isAnswerLost] of lossesIn(whole.sessions, step)) {
      const result = await run(project, new FailingShell(at, isAnswerLost));
      const isOver = ["no_changes", "infrastructure_error"].includes(result.status);
      expect(isOver, `lost at session ${at}: ${result.message}`).toBe(true);
      // The last ones only release the lock.
      if (at < whole.sessions - 2)
        expect([at, result.status]).toEqual([at, "infrastructure_error"]);
      const isLocked = (await project.logs()).includes(".gauntlet-run.lock");
      if (isLocked) left[isAnswerLost ? "answered" : "sent"]++;
      expect([at, (await project.run()).status]).toEqual([at, "no_changes"]);
      const notices = JSON.stringify(project.events);
      expect(notices.includes("took over"), `after session ${at}`).toBe(isLocked);
      expect(await project.logs()).not.toContain(".gauntlet-run.lock");
    }
    expect(Math.min(left.sent, left.answered)).toBeGreaterThan(5 / step);
  });

  test("a run with unresolved gates keeps them, and does not count as an attempt (G19)", async () => {
    const project = await settledProject();
    await project.write("src/bad", "x");
    expect((await project.run()).status).toBe("failed");
    const whole = new FailingShell();
    let beforeGates = 0;
    await run(project, whole, ({ type }) => {
      if (type === "gate-start") beforeGates ||= whole.sessions;
    });
    // The check's own program is lost as well. Its result is unknown, so the agent cannot fix it (G13).
    for (const [at, isAnswerLost] of [
      ...lossesIn(beforeGates, every(16)),
      ...[false, true].map((kind): [number, boolean] => [beforeGates + 1, kind]),
    ]) {
      const result = await run(project, new FailingShell(at, isAnswerLost));
      expect([at, result.status]).toEqual([at, "infrastructure_error"]);
      expect(result.errorMessage).toContain(GONE);
      expect(await project.state()).toMatchObject({ attempt: 2, open: ["check:src:ok"] });
    }
    // A failure that is known counts, whether or not the state could be written.
    for (const [isAnswerLost, attempt] of [
      [false, 3],
      [true, 4],
    ] as const) {
      const late = new FailingShell(Infinity, isAnswerLost);
      const last = await run(project, late, ({ type }) => {
        if (type === "gate-end") late.loseNext();
      });
      expect(last.status).toBe("failed");
      expect(await project.run()).toMatchObject({ status: "failed", attempt });
    }
  });
});

test("a connection that is lost for a moment lets no failure pass (G20a)", async () => {
  const project = await settledProject();
  await project.write("src/bad", "x");
  const whole = new FailingShell();
  expect((await run(project, whole)).status).toBe("failed");
  let attempts = 1;
  for (let at = 1; at <= whole.sessions; at += every(20)) {
    const { status, message } = await run(project, new FailingShell(at, false, true));
    expect(status, `lost at session ${at}: ${message}`).toMatch(/^(failed|infrastructure_error)$/);
    const { open, attempt } = await project.state();
    expect([at, open]).toEqual([at, ["check:src:ok"]]);
    expect(attempt, `lost at session ${at}`).toBeGreaterThanOrEqual(attempts);
    attempts = Number(attempt);
  }
  expect((await project.run()).status).toBe("failed");
  expect(await project.logs()).not.toContain(".gauntlet-run.lock");
});

test("a run waits only once for a machine that does not answer any more (H35)", async () => {
  const sessionsWith = async (code: string): Promise<number> => {
    const project = await settledProject();
    const shell = new FailingShell(8, false, false, code);
    expect((await run(project, shell)).status).toBe("infrastructure_error");
    return shell.sessions;
  };
  expect(await sessionsWith("ETIMEDOUT")).toBeLessThan(await sessionsWith("ECONNRESET"));
});

test("a failed stop that was counted does not block if the connection is lost then (H35)", async () => {
  const project = await settledProject();
  await project.write("src/bad", "x");
  const shell = new FailingShell();
  const runtime = farRuntime(shell);
  const stat = runtime.stat.bind(runtime);
  vi.spyOn(runtime, "stat").mockImplementation((paths) => {
    if (paths.length === 1 && paths[0] === project.dir) shell.loseNext();
    return stat(paths);
  });
  const hook = gauntletHook({ env: {}, home: project.path(".git/home") });
  const output = await hook({
    runtime,
    projectDir: project.dir,
    input: {
      ...stopInput(project.dir, project.path(".git/chat.jsonl")),
      last_assistant_message: "",
    },
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    requestedContinuation: false,
    turnId: "1",
  });
  expect(output).toMatchObject({
    unverified: true,
    systemMessage: expect.stringContaining(GONE) as string,
  });
  expect(await project.state()).toMatchObject({ open: ["check:src:ok"] });
});
