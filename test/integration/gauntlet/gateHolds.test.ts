/** An agent may stop only after a check of the current files, or the user is warned. */
import { err } from "neverthrow";
import { describe, expect, test, vi } from "vitest";
import { cleanByHand } from "@/node/services/gauntlet/run/logs/cleanLogs";
import { recordStartingCommit } from "@/node/services/gauntlet/run/plan/runRepository";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { ReviewProject } from "@test/helpers/gauntlet/reviewProject";
import { beginTurn } from "@test/helpers/gauntlet/projects";
import { restoring } from "@test/helpers/restoring";
import { sessionKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import {
  LONG_MS,
  stopAt,
  statusAt,
  type StopOptions,
  untilOver,
} from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
/** Fails if any file at `src` contains BAD. */
const CHECK = { ok: 'command: "! grep -rq BAD ."\n' };
const JOB = "check:src:ok";

const begin = (project: GauntletProject): Promise<void> =>
  recordStartingCommit({ runtime: project.runtime, projectDir: project.dir, env: {} });

const create = restoring((config: string = CONFIG) => GauntletProject.create(config, CHECK));

/** Creates a project on `main` itself, with a starting commit. */
const onBase = restoring(async () => {
  const project = await create();
  await project.git("switch", "--quiet", "main");
  await begin(project);
  return project;
});

const TURN = { sessionId: "s", turnId: "1" };
const LATER = { sessionId: "s", turnId: "2" };

/** Creates a project on branch `work`, after a stop that failed. */
const failed = restoring(async () => {
  const project = await GauntletProject.create(CONFIG, CHECK);
  await project.write("src/b.txt", "BAD\n");
  expect(await statusAt(project, TURN)).toBe("failed");
  return project;
});

async function clean(project: GauntletProject): Promise<void> {
  const place = { projectDir: project.dir, logDir: project.path("gauntlet_logs") };
  (await cleanByHand(project.runtime, place, new Date()))._unsafeUnwrap();
}

describe("the time limit of the run", () => {
  const TWO = "entry_points:\n  - path: src\n    checks: [slow, other]\n";
  /** Counts its starts, and takes as long as a file says. */
  const slow = {
    slow: 'command: "echo start >> ../.git/starts; sleep $(cat ../.git/seconds)"\n',
    other: 'command: "! grep -rq BAD ."\n',
  };

  async function slowProject(seconds: number): Promise<GauntletProject> {
    const project = await GauntletProject.create(TWO, slow);
    await project.write(".git/seconds", `${seconds}\n`);
    await project.write("src/b.txt", "b\n");
    return project;
  }
  const starts = async (project: GauntletProject): Promise<number> =>
    (await project.read(".git/starts").catch(() => "")).split("\n").length - 1;
  const LIMIT = String.raw`within [\d.]+ s, the time the Stop hook has`;
  /** Stops, and its time is over once the slow check has started for the nth time. */
  const tooLong = (project: GauntletProject, nth: number, options: StopOptions = {}) =>
    untilOver(
      async () => (await starts(project)) === nth,
      () => stopAt(project, { limitMs: LONG_MS, ...options })
    );

  test("leaves a check unverified that does not end, and does not start it after two stops in a row, until a run by hand (G27c)", async () => {
    const project = await slowProject(400);
    const stop = (turnId: string) => stopAt(project, { limitMs: LONG_MS, sessionId: "s", turnId });
    const { result, personMessage } = await tooLong(project, 1, TURN);
    const says = (words: string) => expect.stringMatching(`^${words} ${LIMIT}$`) as string;
    expect(result).toMatchObject({
      ...{ status: "infrastructure_error", gatesFailed: 2 },
      gates: [
        { outcome: "error", overLimit: true, message: says("did not end") },
        { outcome: "error", message: says("was not reached") },
      ],
    });
    expect(personMessage).toMatch(
      new RegExp(
        `^check:src:slow did not end ${LIMIT}; nor is there a result of check:src:other; to check the changes, run "mux-stop-hooks run"; to give the Stop hook more time, run "mux-stop-hooks init --limit \\d+00"; the changes were not verified$`
      )
    );
    expect(await project.logs()).not.toContain(".gauntlet-run.lock");
    expect(await project.state()).toMatchObject({ open: ["check:src:slow", "check:src:other"] });
    expect((await tooLong(project, 2, TURN)).personMessage).toBeUndefined();
    const third = await stop("2");
    expect(await starts(project)).toBe(2);
    expect(third.result).toMatchObject({
      status: "infrastructure_error",
      gates: [{ outcome: "error" }, { outcome: "passed" }],
    });
    expect(third.personMessage).toContain("check:src:slow was not started, because");
    expect((await stop("2")).personMessage).toBeUndefined();
    expect((await stop("3")).personMessage).toContain("check:src:slow was not started, because");
    await project.write(".git/seconds", "0\n");
    expect((await project.run()).status).toBe("passed");
    await project.write("src/b.txt", "c\n");
    await stop("4");
    expect(await starts(project)).toBe(4);
  });

  test("blocks for another gate that failed, and the agent reads only of that one (G27c)", async () => {
    const config =
      "allow_parallel: true\nentry_points:\n  - path: src\n    checks: [slow, other]\n";
    const parallel = { slow: slow.slow, other: `${slow.other}parallel: true\n` };
    const project = await GauntletProject.create(config, parallel);
    await project.write(".git/seconds", "400\n");
    await project.write("src/b.txt", "BAD\n");
    let hasEnded = false;
    const { result } = await untilOver(
      async () => hasEnded && (await starts(project)) === 1,
      // Only the other gate can end.
      () =>
        stopAt(project, {
          limitMs: LONG_MS,
          listener: ({ type }) => void (hasEnded ||= type === "gate-end"),
        })
    );
    expect(result.status).toBe("failed");
    const reason = await stopReason(project.runtime, result);
    expect(reason).toContain("check:src:other");
    expect(reason).not.toContain("check:src:slow");
  });

  test("blocks for a check that takes three times its usual time (G27c)", async () => {
    const project = await slowProject(0);
    expect(await statusAt(project)).toBe("passed");
    await project.write(".git/seconds", "400\n");
    await project.write("src/b.txt", "c\n");
    const { result } = await tooLong(project, 2);
    expect(result).toMatchObject({ status: "failed", attempt: 1 });
    const message = new RegExp(`check:src:slow:? did not end ${LIMIT}; it usually ends within`);
    expect(await stopReason(project.runtime, result)).toMatch(message);
    const second = await tooLong(project, 3);
    expect(second.result.status).toBe("retry_limit_exceeded");
    expect(second.personMessage).toMatch(message);
  });
});

describe("work on the base branch itself (G20b)", () => {
  test.each<[string, (project: GauntletProject) => Promise<unknown>]>([
    ["HEAD at the first turn-start", beginTurn],
    [
      "its merge base with the upstream",
      (project) =>
        project.shell("git branch published && git branch -q --set-upstream-to=published"),
    ],
  ])("is compared with %s (G20b)", async (_, begins) => {
    const project = await create();
    await project.git("switch", "--quiet", "main");
    await begins(project);
    await project.write("src/a.txt", "BAD\n");
    await project.commit("work");
    expect(await statusAt(project)).toBe("failed");
  });

  test("is not verified without a recorded starting commit and an upstream, and the user is warned, also after a run by hand, until the commit is undone in git (G20b, G3)", async () => {
    const project = await create();
    await project.git("switch", "--quiet", "main");
    await project.write("src/a.txt", "BAD\n");
    await project.commit("work");
    expect((await project.run()).status).toBe("no_changes");
    const { result, personMessage } = await stopAt(project);
    expect(result.status).toBe("no_changes");
    expect(personMessage).toContain("nothing to compare with");
    expect((await stopAt(project)).personMessage).toBeUndefined();
    // A run without gates is not a pass.
    await project.git("reset", "--quiet", "--soft", "HEAD~1");
    expect(await statusAt(project)).toBe("failed");
  });

  test("is compared with the starting commit that init recorded, and gets a new one only by a pass (G20b)", async () => {
    const project = await onBase();
    await project.write("src/a.txt", "fine\n");
    await project.commit("work");
    expect(await statusAt(project)).toBe("passed");
    expect((await stopAt(project)).result).toMatchObject({ status: "no_changes" });
    await clean(project);
    await project.write("src/a.txt", "BAD\n");
    await project.commit("more");
    expect(await statusAt(project)).toBe("failed");
  });
});

describe("a pass of a run by hand", () => {
  test("leaves no gate to a stop, unless variables that programs read differ (G7a)", async () => {
    const project = await create();
    for (const [gatesRun, env] of [
      [0, { GIT_EDITOR: "true", OTHER: "1" }],
      [1, { NODE_OPTIONS: "--no-warnings" }],
      [1, { PATH: `${process.env.PATH}:/usr/bin` }],
    ] as const) {
      await project.write("src/b.txt", JSON.stringify(env));
      expect(await project.run({ env })).toMatchObject({ status: "passed" });
      const { result } = await stopAt(project);
      expect(result.gatesRun).toBe(gatesRun);
      expect(result.gates.every(({ cachedSince }) => cachedSince === undefined)).toBe(true);
    }
  });

  test("resolves no gate that failed with another definition or environment (G18a)", async () => {
    const project = await failed();
    await project.write("src/b.txt", "fine\n");
    const expectOpen = async (env: NodeJS.ProcessEnv): Promise<void> => {
      const { status, warnings } = await project.run({ env });
      expect([status, await project.state()]).toMatchObject(["passed", { open: [JOB] }]);
      expect(warnings.join()).toContain(`${JOB} passed, and is unresolved until the next stop`);
    };
    await expectOpen({ PYTHONPATH: "x" });
    await project.write(".gauntlet/checks/ok.yml", "command: exit 0\n");
    await expectOpen({});
    await project.write(".gauntlet/checks/ok.yml", CHECK.ok);
    expect((await stopAt(project, TURN)).result).toMatchObject({ gatesRun: 1, fixed: [JOB] });
  });
});

describe("an unresolved gate remains (G18a)", () => {
  const NO_CHECKS = "entry_points:\n  - path: src\n    checks: []\nlog_dir: gauntlet_logs\n";
  const NO_LONGER = "was failing and no longer applies";

  test("after a clean by hand, together with the baselines (G20a)", async () => {
    const project = await onBase();
    await project.write("src/b.txt", "BAD\n");
    expect(await statusAt(project)).toBe("failed");
    await project.commit("work");
    await clean(project);
    expect(await statusAt(project)).toBe("failed");
  });

  test("if its files are moved, with a message, and in a later turn as a warning, once a session (G18a)", async () => {
    const project = await failed();
    await project.shell("git add --all && git commit --quiet --message=work && git mv src lib");
    const moved = await stopAt(project, TURN);
    expect(moved.result.status).toBe("failed");
    expect(moved.result.gates.find(({ jobId }) => jobId === JOB)?.message).toContain(NO_LONGER);
    const { result, personMessage } = await stopAt(project, LATER);
    expect(result.status).toBe("no_applicable_gates");
    expect(personMessage).toContain(`${JOB} was failing on branch work`);
    expect((await stopAt(project, LATER)).personMessage).toBeUndefined();
    const other = await stopAt(project, { ...LATER, sessionId: "t" });
    expect(other.personMessage).toContain(`${JOB} was failing on branch work`);
  });

  test("if it is removed from the configuration, with a message, until a person trusts that (G18a)", async () => {
    const project = await failed();
    await project.write(".gauntlet/config.yml", `base_branch: main\n${NO_CHECKS}`);
    const { result } = await stopAt(project, TURN);
    expect(result.status).toBe("failed");
    expect(result.gates.find(({ jobId }) => jobId === JOB)?.message).toContain(NO_LONGER);
    const loaded = await loadGauntletConfig(project.runtime, project.dir);
    const trusted = { dir: project.dir, loaded };
    expect(await statusAt(project, { ...TURN, project: trusted })).toBe("no_applicable_gates");
    expect(await project.state()).toMatchObject({ open: [] });
  });
});

describe("the tree is compared again after the gates (G20c)", () => {
  test("records a pass for the final tree (G20c)", async () => {
    const project = await GauntletProject.create(CONFIG, {
      ok: "command: test -e ../.git/late || { touch ../.git/late; echo fine > late.txt; }\n",
    });
    await project.write("src/a.txt", "b\n");
    const { result, personMessage } = await stopAt(project);
    expect(result.status).toBe("passed");
    expect(personMessage).toBeUndefined();
    expect(await statusAt(project)).toBe("no_changes");
  });

  test("starts no reviewer again after a change during a check, nor shows it what it passed (G20c)", async () => {
    const reviewed = await ReviewProject.create();
    const { project } = reviewed;
    const check =
      "command: test -e ../.git/late || { touch ../.git/late; echo fine > late.txt; }\n";
    await project.write(".gauntlet/checks/late.yml", check);
    const config = await project.read(".gauntlet/config.yml");
    const both = config.replace("    reviews", "    checks: [late]\n    reviews");
    await project.write(".gauntlet/config.yml", both);
    await project.write("src/a.txt", "b\n");
    expect(await reviewed.run()).toMatchObject({ status: "passed", gatesRun: 2 });
    expect(await reviewed.prompts()).toHaveLength(1);
    await project.commit("late.txt");
    await project.write(".gauntlet/checks/late.yml", "command: date +%N > late.txt\n");
    await project.write("src/a.txt", "c\n");
    await clean(project);
    for (const isNew of [true, false]) {
      expect((await reviewed.run()).unstable).toEqual(["src/late.txt"]);
      expect((await reviewed.prompts()).at(-1)?.includes("+c")).toBe(isNew);
    }
  });

  test("warns about a tree that changes again, records nothing, and lists three files once a session (G20c)", async () => {
    const files = "for i in 1 2 3 4; do : > $$$i.txt; done";
    const project = await GauntletProject.create(CONFIG, { ok: `command: "${files}"\n` });
    await project.write("src/a.txt", "b\n");
    const names = /while the checks ran: (src\/\d+\.txt(, )?){3}$/;
    const first = await stopAt(project, { sessionId: "s" });
    expect(first.result.status).toBe("passed");
    expect(first.personMessage).toMatch(names);
    expect(await project.state()).toMatchObject({ open: [], baselines: {}, outputs: {} });
    const again = await stopAt(project, { sessionId: "s" });
    expect(again.personMessage).toContain("files changed again while the checks ran");
    expect(again.personMessage).not.toContain(".txt");
    expect((await stopAt(project, { sessionId: "t" })).personMessage).toMatch(names);
  });
});

describe("failed stops are counted by session and user turn (G19)", () => {
  const stops = async (project: GauntletProject, count: number, options: StopOptions = {}) => {
    const statuses: string[] = [];
    for (let i = 0; i < count; i++) {
      await project.write("src/more.txt", `${count} ${i}`);
      statuses.push(await statusAt(project, options));
    }
    return statuses;
  };
  const LIMITED = `max_retries: 1\n${CONFIG}`;
  const LIMIT = ["failed", "retry_limit_exceeded"];

  test("reports the retry limit at the last allowed failure and at each further stop, and counts no runs by hand, which always run (G19)", async () => {
    const project = await create(LIMITED);
    await project.write("src/b.txt", "BAD\n");
    expect((await project.run()).status).toBe("failed");
    expect(await stops(project, 2)).toEqual(LIMIT);
    const { result, personMessage } = await stopAt(project);
    expect(result).toMatchObject({ status: "retry_limit_exceeded", gatesRun: 0 });
    expect(personMessage).toContain(`unresolved: ${JOB}`);
    expect(personMessage).toContain(project.path("gauntlet_logs/check_src_ok.3.log"));
    expect(personMessage).toContain(
      'to start over, send a new message or run "mux-stop-hooks clean"'
    );
    expect(await project.run()).toMatchObject({ status: "failed", gatesRun: 1 });
  });

  test("keeps the count over another branch and lost logs, but not a clean by hand (G19)", async () => {
    const project = await create();
    const session = { sessionId: "s" };
    await project.write("src/b.txt", "BAD\n");
    expect((await stopAt(project, session)).result.attempt).toBe(1);
    await project.git("switch", "--quiet", "--create", "other");
    expect((await stopAt(project, session)).result.attempt).toBe(2);
    await project.remove("gauntlet_logs");
    expect((await stopAt(project, session)).result.attempt).toBe(3);
    await clean(project);
    expect((await stopAt(project, session)).result).toMatchObject({ status: "failed", attempt: 1 });
  });

  test("restarts after a pass, also of a run by hand, a new turn, and a clean for callers without a session (G19, G27a)", async () => {
    const project = await create(LIMITED);
    await project.write("src/b.txt", "BAD\n");
    expect(await stops(project, 2, TURN)).toEqual(LIMIT);
    expect((await stopAt(project, LATER)).result.attempt).toBe(1);
    await beginTurn(project, { sessionId: "s" });
    expect((await stopAt(project, LATER)).result.attempt).toBe(1);
    expect((await stopAt(project, { ...LATER, turnId: "3" })).result.attempt).toBe(2);
    const claude = { sessionId: "c", beginsTurn: true };
    expect((await stopAt(project, claude)).result.attempt).toBe(1);
    expect((await stopAt(project, { ...claude, stopHookActive: true })).result.attempt).toBe(2);
    expect((await stopAt(project, claude)).result.attempt).toBe(1);
    expect((await stopAt(project)).result.attempt).toBe(1);
    await clean(project);
    expect((await stopAt(project)).result.attempt).toBe(1);
    await project.remove("src/b.txt");
    expect(await statusAt(project)).toBe("passed");
    await project.write("src/b.txt", "BAD\n");
    expect((await stopAt(project)).result.attempt).toBe(1);
    await project.remove("src/b.txt");
    expect((await project.run()).status).toBe("passed");
    expect(await statusAt(project)).toBe("no_changes");
    await project.write("src/b.txt", "BAD\n");
    expect((await stopAt(project)).result.attempt).toBe(1);
  });

  test("does not block a stop that cannot be counted, and warns (G19)", async () => {
    const project = await create();
    await project.write("src/b.txt", "BAD\n");
    const notCounted = async () => {
      const { result, personMessage } = await stopAt(project);
      expect(result.status).toBe("infrastructure_error");
      expect(personMessage).toContain("cannot be counted");
    };
    expect(await statusAt(project)).toBe("failed");
    // A reply of another machine is lost (H35).
    const readFile = project.runtime.readFile.bind(project.runtime);
    const read = vi
      .spyOn(project.runtime, "readFile")
      .mockImplementation(async (path, options) =>
        path.includes("agent-gauntlet/sessions/")
          ? err({ path, code: "ELOST", message: "gone" })
          : await readFile(path, options)
      );
    await notCounted();
    read.mockRestore();
    expect((await stopAt(project)).result.attempt).toBe(2);
    await project.remove(".git/agent-gauntlet");
    await project.write(".git/agent-gauntlet", "a file\n");
    await notCounted();
  });
});

test.each<[string, (project: GauntletProject) => Promise<unknown>]>([
  ["removed", (project) => project.remove(".gauntlet")],
  ["broken", (project) => project.write(".gauntlet/config.yml", "entry_points: 3\n")],
])(
  "a stop fails as the gate config if its configuration is %s after a failure (G24)",
  async (_, act) => {
    const project = await failed();
    await act(project);
    const { result } = await stopAt(project, TURN);
    expect(result).toMatchObject({ status: "failed", attempt: 2, gates: [{ jobId: "config" }] });
    const later = await stopAt(project, LATER);
    expect(later.result.status).not.toBe("failed");
    expect(later.personMessage).toMatch(/not verified|config\.yml/);
  }
);

test("turn-start after a failed stop gives new attempts for a message, but none for its reason or an empty one (G27a)", async () => {
  const project = await GauntletProject.create(`max_retries: 1\n${CONFIG}`, CHECK);
  await project.write("src/b.txt", "BAD\n");
  const { result } = await stopAt(project, { sessionId: "s" });
  const reason = await stopReason(project.runtime, result);
  for (const [sessionId, prompt, status] of [
    ["s", `It blocked:\n${reason}\nMore.`, "retry_limit_exceeded"],
    ["s", "", "retry_limit_exceeded"],
    ["s", "Go on.", "failed"],
  ] as const) {
    await beginTurn(project, { sessionId, prompt });
    await project.write("src/more.txt", prompt);
    expect([prompt, await statusAt(project, { sessionId })]).toEqual([prompt, status]);
  }
  // The user quotes the reason to another agent.
  await beginTurn(project, { sessionId: "other", prompt: reason });
  const turns = new TurnStore(project.runtime, project.path(".git"));
  expect(await turns.keys("turns")).toContain(sessionKey("other"));
});

test("a pasted reason begins a turn if its ID differs (G27a)", async () => {
  const project = await GauntletProject.create(`max_retries: 1\n${CONFIG}`, CHECK);
  await beginTurn(project, { sessionId: "s", turnId: "1", prompt: "Go on." });
  await project.write("src/b.txt", "BAD\n");
  const { result } = await stopAt(project, { sessionId: "s" });
  const again = { sessionId: "s", turnId: "2", prompt: await stopReason(project.runtime, result) };
  await beginTurn(project, again);
  expect(await statusAt(project, { sessionId: "s" })).toBe("failed");
  await beginTurn(project, again);
  expect(await statusAt(project, { sessionId: "s" })).toBe("retry_limit_exceeded");
});

test("a run by hand belongs to the session that was active last, also without turn-start (G18a)", async () => {
  const project = await failed();
  await beginTurn(project, { sessionId: "s", prompt: "Go on." });
  expect(await statusAt(project, { sessionId: "t" })).toBe("failed");
  await project.run();
  const failures = { [JOB]: { session: sessionKey("t") } };
  expect(await project.state()).toMatchObject({ failures });
});

test("a stop respects only an interval that a person set, and reports changed files (G20d, G27)", async () => {
  const project = await create();
  await project.write("src/b.txt", "fine\n");
  expect(await statusAt(project)).toBe("passed");
  const own = { env: { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "10" } };
  const quiet = await stopAt(project, own);
  expect(quiet.result.status).toBe("interval_not_elapsed");
  expect(quiet.personMessage).toMatch(/^the environment variable GAUNTLET_STOP_HOOK_INTERVAL/);
  await project.write("src/b.txt", "BAD\n");
  const told = await stopAt(project, own);
  expect(told.result.status).toBe("interval_not_elapsed");
  expect(told.personMessage).toContain("files changed since the last run");
  expect(await statusAt(project)).toBe("failed");
});
