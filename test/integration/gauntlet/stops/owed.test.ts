/** Stops in a project with failing work from before the session (G20a). */
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { StopDecision } from "@/node/services/gauntlet/hook/stopDecision";
import { recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt, type StopOptions } from "@test/helpers/gauntlet/stops";
import { brokenProject } from "@test/helpers/gauntlet/projects";

/** Waits for longer than the clock of a file system may lag behind. */
const aMoment = () => setTimeout(50);

/**
 * A session whose clock starts a minute late, so that files from before its first message are clearly older. Its files
 * cannot be changed later than that, so a test of a change begins the session `now`.
 */
class Session {
  #clock: number;

  private constructor(
    readonly project: GauntletProject,
    skew: number
  ) {
    this.#clock = Date.now() + skew;
  }

  /** The failing work is committed, so that only the test's changes differ from HEAD. */
  static async committed(skew = 0, more = "", folder = "."): Promise<Session> {
    const project = await brokenProject(more);
    if (folder !== ".")
      await project.shell(`mkdir ${folder} && git add . && git mv .gauntlet src ${folder}`);
    await project.commit("failing work");
    await aMoment();
    return new Session(GauntletProject.at(project.path(folder)), skew);
  }

  static async dirty(): Promise<Session> {
    const project = await brokenProject();
    await project.remove("src/a.txt");
    return new Session(project, 60_000);
  }

  async message(): Promise<string | undefined> {
    const { runtime, dir: cwd } = this.project;
    return await recordTurnStart({ runtime, cwd, sessionId: "s", now: () => this.#now() });
  }

  /** @param isAnswered whether the answer of the stop was written */
  async stop({ isAnswered = true, ...more }: StopOptions & { isAnswered?: boolean } = {}) {
    const request = { sessionId: "s", startedAt: Date.now(), now: () => this.#now(), ...more };
    const decision = await stopAt(this.project, request);
    await (isAnswered ? decision.answered?.() : decision.discarded?.());
    return decision;
  }

  /** Makes what happened so far clearly older than what follows. */
  pass(): void {
    this.#clock += 60_000;
  }

  #now(): Date {
    return new Date(this.#clock++);
  }
}

function expectLetGo({ result, personMessage }: StopDecision): void {
  expect(result.status).toBe("no_changes");
  expect(personMessage).toContain(
    "no changes: nothing changed that was not checked before, and these gates fail: check:src:ok"
  );
  expect(personMessage).toMatch(/\ncheck:src:ok: \/.*\.log/);
}

const expectBlocked = ({ result }: StopDecision): void => {
  expect(result.status).toBe("failed");
};

describe("failing work from before the session's first message (G20a)", () => {
  test.each([
    ["changed nothing", false],
    ["only planned", true],
  ])("does not block a turn that %s, and stays unresolved", async (_, isPlanning) => {
    const session = await Session.dirty();
    for (let turn = isPlanning ? 2 : 1; turn <= 2; turn++) {
      await session.message();
      expectLetGo(await session.stop({ isPlanning }));
      expect(await session.project.state()).toMatchObject({ open: ["check:src:ok"] });
      session.pass();
    }
  });

  test.each<[string, (project: GauntletProject) => Promise<unknown>]>([
    ["an edit", (project) => project.write("src/a.txt", "b\n")],
    ["a new file", (project) => project.write("src/new.txt", "b\n")],
    ["a commit", (project) => project.git("commit", "--quiet", "--allow-empty", "-m", "x")],
    ["a removal", (project) => project.remove("src/a.txt")],
    ["a reset", (project) => project.git("reset", "--quiet", "--hard", "HEAD")],
    [
      "an edit that git was told to ignore",
      (project) =>
        project.shell("git update-index --assume-unchanged src/a.txt && echo b > src/a.txt"),
    ],
  ])("blocks after %s", async (_, act) => {
    const session = await Session.committed();
    await session.message();
    await act(session.project);
    expectBlocked(await session.stop());
  });

  test("does not block if the agent only checked out another branch, or made a tag, a branch or a ref of a remote", async () => {
    const session = await Session.committed(60_000);
    const { project } = session;
    await project.git("switch", "--quiet", "main");
    await session.message();
    await project.shell(
      "git switch -q work && git tag t && git branch other && git update-ref refs/remotes/o/x HEAD"
    );
    expectLetGo(await session.stop());
  });

  test("blocks if the clock was set back, and without a record of the session's first message", async () => {
    const back = await Session.committed(60_000);
    await back.message();
    expectBlocked(await back.stop({ now: () => new Date(0) }));
    const session = await Session.committed(60_000);
    expectBlocked(await session.stop());
    await session.message();
    expectBlocked(await session.stop());
  });
});

describe("a change that no stop has settled (G20a)", () => {
  async function changed(more = ""): Promise<Session> {
    const session = await Session.committed(0, more);
    await session.message();
    await session.project.write("src/a.txt", "b\n");
    return session;
  }

  test.each<[string, (session: Session) => Promise<unknown>]>([
    ["a block", (session) => session.stop()],
    ["an answer that was not written", (session) => session.stop({ isAnswered: false })],
    ["an interrupt", (session) => session.stop({ signal: AbortSignal.abort() })],
    [
      "a postponed stop",
      (session) => session.stop({ backgroundTasks: [{ id: "a", type: "subagent" }] }),
    ],
  ])("is checked after a turn that changed nothing, after %s", async (_, first) => {
    const session = await changed();
    await first(session);
    session.pass();
    await session.message();
    expectBlocked(await session.stop());
  });

  test("is settled by a let-go at the retry limit, until the next change", async () => {
    const session = await changed("max_retries: 0\n");
    expect((await session.stop()).result.status).toBe("retry_limit_exceeded");
    session.pass();
    await session.message();
    expectLetGo(await session.stop());
  });

  test("is settled by a pass", async () => {
    const session = await changed();
    await session.project.remove("src/bad");
    expect((await session.stop()).result.status).toBe("passed");
    await session.project.write(".gauntlet/checks/ok.yml", "command: exit 1\n");
    session.pass();
    await session.message();
    // The changed definition is work of the session.
    expectBlocked(await session.stop());
  });

  test("is checked although a file is again as in HEAD", async () => {
    const session = await Session.committed();
    await session.project.write("src/bad", "of the user");
    await aMoment();
    await session.message();
    await session.project.git("restore", "src/bad");
    expectBlocked(await session.stop());
  });

  test.each([".", "app"])("that discards a verified fix is checked: in %s", async (folder) => {
    const session = await Session.committed(0, "", folder);
    await session.message();
    await session.project.shell("rm src/bad && echo b > src/b.txt");
    expect((await session.stop()).result.status).toBe("passed");
    await session.message();
    await session.project.git("checkout", "--", "src/bad");
    expectBlocked(await session.stop());
  });

  test.each(["rm -r src/new", "mv src/new src/old"])(
    "may be of an untracked file: %s",
    async (command) => {
      const session = await Session.committed();
      await session.project.write(".gauntlet/checks/ok.yml", "command: test -e new/a\n");
      await session.project.commit("check");
      await aMoment();
      await session.message();
      await session.project.write("src/new/a", "a");
      session.pass();
      expect((await session.stop()).result.status).toBe("passed");
      await session.message();
      await session.project.shell(command);
      expectBlocked(await session.stop());
    }
  );

  test("is verified by a pass after a postponed stop (G39)", async () => {
    const session = await changed();
    const backgroundTasks = [{ id: "a", type: "subagent" }];
    expect((await session.stop({ backgroundTasks })).result.status).toBe("postponed");
    await session.project.remove("src/bad");
    expect((await session.stop()).result.status).toBe("passed");
    expect(await session.message()).toBeUndefined();
  });

  test("is verified by a run by hand that passes after a block, so that no attempts remain (G19, G27a)", async () => {
    const session = await changed();
    expectBlocked(await session.stop());
    await session.project.remove("src/bad");
    expect((await session.project.run()).status).toBe("passed");
    expect((await session.stop()).result.status).toBe("no_changes");
    await session.message();
    expect((await session.stop()).personMessage ?? "").not.toContain("begins anew");
  });

  test("between two turns is checked", async () => {
    const session = await Session.committed();
    await session.message();
    expectLetGo(await session.stop());
    await session.project.write("src/a.txt", "b\n");
    await session.message();
    expectBlocked(await session.stop());
  });
});
