/** Stops in a project with failing work from before the session (G20a). */
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { StopDecision } from "@/node/services/gauntlet/hook/stopDecision";
import { recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt, type StopOptions } from "@test/helpers/gauntlet/stops";
import { brokenProject } from "@test/helpers/gauntlet/projects";
import { restoring } from "@test/helpers/restoring";

/** Waits for longer than the clock of a file system may lag behind. */
const aMoment = () => setTimeout(50);

/** The failing work is committed, so that only the test's changes differ from HEAD. */
const committedProject = restoring(async (more: string, folder: string) => {
  const project = await brokenProject(more);
  const move = `mkdir ${folder} && git add . && git mv .gauntlet src ${folder}`;
  if (folder !== ".") await project.shell(move);
  await project.commit("failing work");
  return project;
});

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

  static async committed(skew = 0, more = "", folder = "."): Promise<Session> {
    const project = await committedProject(more, folder);
    await aMoment();
    return new Session(GauntletProject.at(project.path(folder)), skew);
  }

  static async dirty(): Promise<Session> {
    const project = await brokenProject();
    await project.remove("src/a.txt");
    return new Session(project, 60_000);
  }

  async message(sessionId = "s"): Promise<string | undefined> {
    const { runtime, dir: cwd } = this.project;
    return await recordTurnStart({ runtime, cwd, sessionId, now: () => this.#now() });
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

  /** Sets the clock to the real time, when what happened so far is clearly older. */
  async moment(): Promise<void> {
    await aMoment();
    this.#clock = Date.now();
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
  test("does not block turns that changed nothing or only planned, and stays unresolved", async () => {
    const session = await Session.dirty();
    for (const isPlanning of [false, true]) {
      await session.message();
      expectLetGo(await session.stop({ isPlanning }));
      expect(await session.project.state()).toMatchObject({ open: ["check:src:ok"] });
      session.pass();
    }
  });

  test("is checked after each act of the agent, and after an edit between two turns, which a let-go at the retry limit settles", async () => {
    const session = await Session.committed(0, "max_retries: 0\n");
    const { project } = session;
    // The first two change no file, so they come before the edits.
    const acts: readonly (() => Promise<unknown>)[] = [
      () => project.git("commit", "--quiet", "--allow-empty", "-m", "x"),
      () => project.git("reset", "--quiet", "--hard", "HEAD"),
      () => project.write("src/a.txt", "b\n"),
      () => project.write("src/new.txt", "b\n"),
      () => project.remove("src/a.txt"),
      () => project.shell("git update-index --assume-unchanged src/bad && echo b > src/bad"),
    ];
    for (const act of acts) {
      const sessionId = String(act);
      await session.moment();
      await session.message(sessionId);
      await act();
      const { status } = (await session.stop({ sessionId })).result;
      expect([sessionId, status]).toEqual([sessionId, "retry_limit_exceeded"]);
    }
    await session.moment();
    await session.message();
    expectLetGo(await session.stop());
    await project.write("src/a.txt", "between\n");
    await session.moment();
    await session.message();
    expect((await session.stop()).result.status).toBe("retry_limit_exceeded");
    session.pass();
    await session.message();
    expectLetGo(await session.stop());
  });

  test("does not block if the agent only checked out another branch, or made a tag, a branch or a ref of a remote; it does if the clock was set back, and without a record of the session's first message", async () => {
    const session = await Session.committed(60_000);
    const { project } = session;
    await project.git("switch", "--quiet", "main");
    await session.message();
    await project.shell(
      "git switch -q work && git tag t && git branch other && git update-ref refs/remotes/o/x HEAD"
    );
    expectLetGo(await session.stop());
    await session.message("back");
    expectBlocked(await session.stop({ sessionId: "back", now: () => new Date(0) }));
    expectBlocked(await session.stop({ sessionId: "other" }));
    await session.message("other");
    expectBlocked(await session.stop({ sessionId: "other" }));
  });
});

describe("a change that no stop has settled (G20a)", () => {
  async function changed(): Promise<Session> {
    const session = await Session.committed();
    await session.message();
    await session.project.write("src/a.txt", "b\n");
    return session;
  }

  test("is checked after turns that changed nothing, after a postponed stop, an answer that was not written, a block, and an interrupt", async () => {
    const session = await changed();
    const next = async (more: { isAnswered?: boolean } = {}): Promise<void> => {
      session.pass();
      await session.message();
      expectBlocked(await session.stop(more));
    };
    session.pass();
    await session.stop({ backgroundTasks: [{ id: "a", type: "subagent" }] });
    await next({ isAnswered: false });
    await next();
    await session.stop({ signal: AbortSignal.abort() });
    await next();
  });

  test("is settled by a pass, also after a postponed stop (G39)", async () => {
    const session = await changed();
    const backgroundTasks = [{ id: "a", type: "subagent" }];
    expect((await session.stop({ backgroundTasks })).result.status).toBe("postponed");
    await session.project.remove("src/bad");
    expect((await session.stop()).result.status).toBe("passed");
    expect(await session.message()).toBeUndefined();
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

  test("that discards a verified fix is checked, also below the root of the repository", async () => {
    const session = await Session.committed(0, "", "app");
    await session.message();
    await session.project.shell("rm src/bad && echo b > src/b.txt");
    await session.moment();
    expect((await session.stop()).result.status).toBe("passed");
    await session.moment();
    await session.message();
    await session.project.git("checkout", "--", "src/bad");
    expectBlocked(await session.stop());
  });

  test("may be of an untracked file that is moved or removed", async () => {
    const session = await Session.committed();
    await session.project.write(".gauntlet/checks/ok.yml", "command: test -e new/a\n");
    await session.project.commit("check");
    await aMoment();
    await session.message();
    await session.project.write("src/new/a", "a");
    for (const command of ["mv src/new src/old", "rm -r src/new"]) {
      session.pass();
      expect((await session.stop()).result.status).toBe("passed");
      await session.message();
      await session.project.shell(command);
      expectBlocked(await session.stop());
      if (command.startsWith("mv")) await session.project.shell("mv src/old src/new");
    }
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
});
