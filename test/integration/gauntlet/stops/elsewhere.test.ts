/** Stops of an agent whose work is on another branch, in another worktree, or in a stash (G18a, G20e). */
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { testHere } from "@test/helpers/remote/testRuntime";
import { restoring } from "@test/helpers/restoring";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: 'command: "! grep -rq BAD ."\n' };
const JOB = "check:src:ok";
const TRANSCRIPT = ".git/transcript.jsonl";

const create = restoring(() => GauntletProject.create(CONFIG, CHECK));

/** An agent in a session that has begun with a message. */
class Agent {
  #ahead = 0;
  readonly now = (): Date => new Date(Date.now() + this.#ahead);

  private constructor(readonly project: GauntletProject) {}

  /** @param before a shell line that runs before the first message */
  static async begin(before?: string): Promise<Agent> {
    const agent = new Agent(await create());
    await rm(agent.beside, { recursive: true, force: true });
    if (before !== undefined) await agent.sh(before);
    await agent.message();
    return agent;
  }

  async message(sessionId = "s", folder = "."): Promise<void> {
    const { runtime } = this.project;
    const cwd = this.project.path(folder);
    await recordTurnStart({ runtime, cwd, sessionId, now: this.now });
  }

  /** Begins the session again, when what happened so far is clearly older. */
  async later(): Promise<void> {
    await this.project.remove(".git/agent-gauntlet");
    this.#ahead = 60_000;
    await this.message();
  }

  async stop(folder = ".") {
    // Clearly after the agent's last act, also for a clock of files that lags behind by a tick.
    const now = (): Date => new Date(this.now().getTime() + 25);
    const place = { from: folder, transcriptPath: this.project.path(TRANSCRIPT) };
    const request = { sessionId: "s", ...place, startedAt: Date.now(), now };
    const { result, personMessage, answered } = await stopAt(this.project, request);
    await answered?.();
    return { status: result.status, text: personMessage ?? "" };
  }

  /** Writes a transcript with one message for each of these parts. */
  async says(...parts: object[]): Promise<void> {
    const lines = parts.map((part) => ({ type: "assistant", message: { content: [part] } }));
    await this.project.write(TRANSCRIPT, `${lines.map((l) => JSON.stringify(l)).join("\n")}\n`);
  }

  /** The folder beside the project that the tests use for a worktree, in a shell line and as a path. */
  get beside(): string {
    return `${this.project.dir}-wt`;
  }

  async sh(...lines: string[]): Promise<void> {
    await this.project.shell(lines.join(" && ").replaceAll("BESIDE", `"$PWD-wt"`));
  }
}

const BAD = "echo BAD >> src/a.txt && git commit -qam bad";
/** Commits of one second with the same content would be one commit. */
const bad = (text: string): string => `echo BAD ${text} >> src/a.txt && git commit -qam bad`;
/** Creates a worktree that is older than the session. */
const OLD_WORKTREE =
  "git worktree add -q BESIDE -b other && touch -d 2026-01-01 .git/worktrees/*/commondir";
const NOTHING = { status: "no_changes", text: "" };

describe("commits of the session on another branch (G20e)", () => {
  test("are shown once: of a branch that began at HEAD, was renamed, was rebased, has an unusual name, or has no name", async () => {
    const agent = await Agent.begin();
    await agent.sh(
      `${bad("plain")} && git branch plain && git reset -q --hard HEAD~1`,
      `git switch -qc f && ${bad("renamed")} && git switch -q work && git branch -m f renamed`,
      `git switch -qc 'a$(x)b' && ${BAD} && ${BAD} && git switch -q work`,
      `git switch -q --detach && ${bad("detached")} && git switch -q work`,
      `git switch -qc rebased && ${bad("rebased")} && git switch -q work && echo c > src/c.txt && git add . && git commit -qm c && git rebase -q work rebased && git switch -q work`
    );
    const { status, text } = await agent.stop();
    expect(status).toBe("passed");
    const notChecked = 'was not checked; run "mux-stop-hooks run" after';
    for (const branch of ["plain", "renamed", "rebased"]) {
      expect(text).toContain(`1 commit on ${branch} ${notChecked}`);
    }
    expect(text).toMatch(/2 commits on a\$\(x\)b .* after "git switch 'a\$\(x\)b'"/);
    expect(text).toMatch(/1 commit on ([0-9a-f]{10}) .* after "git switch --detach \1"/);
    expect(await agent.stop()).toEqual(NOTHING);
  });

  test("are not shown if they were undone, replaced, removed with their branch, are in HEAD, or came from others", async () => {
    const agent = await Agent.begin(
      "git switch -qc other && echo x > src/x && git add . && git commit -qm x && git switch -q work"
    );
    await agent.sh(
      `${BAD} && git reset -q --hard HEAD~1`,
      `${BAD} && echo fine > src/a.txt && git commit -qa --amend -m good`,
      `git switch -qc gone && ${BAD} && git switch -q work && git branch -qD gone`,
      "git switch -qc fix && git commit -qm e --allow-empty && git switch -q work && git merge -q fix",
      "git switch -q main && git pull -q . other && git switch -q work"
    );
    expect(await agent.stop()).toEqual({ status: "passed", text: "" });
  });

  test("are not shown if their files passed before, and are shown after a stop that settled nothing", async () => {
    const agent = await Agent.begin();
    await agent.sh("git switch -qc fix && echo fine > src/b.txt");
    expect(await agent.stop()).toEqual({ status: "passed", text: "" });
    await agent.message();
    await agent.sh("git add . && git commit -qm good && git switch -q work");
    expect((await agent.stop()).text).toBe("");
    await agent.sh(`git switch -q fix && ${BAD} && git switch -q work`);
    const { discarded } = await stopAt(agent.project, { sessionId: "s", startedAt: Date.now() });
    await discarded?.();
    await agent.message();
    expect((await agent.stop()).text).toContain("1 commit on fix");
  });
});

describe("a gate that failed on another branch (G18a)", () => {
  const blocked = restoring(async () => {
    const agent = await Agent.begin();
    await agent.sh(`git switch -qc fix && ${BAD}`);
    expect((await agent.stop()).status).toBe("failed");
    return agent;
  });

  test("stays unresolved for that branch", async () => {
    const agent = await blocked();
    await agent.sh("git switch -q work");
    const { status, text } = await agent.stop();
    expect(status).toBe("passed");
    expect(text).toContain(`${JOB} failed on branch fix and has not passed there since`);
    expect(await agent.project.state()).toMatchObject({
      open: [],
      elsewhere: { fix: { [JOB]: {} } },
    });
    expect((await agent.stop()).text).toBe("");
    await agent.sh("git switch -q fix");
    expect((await agent.stop()).status).toBe("failed");
    await agent.sh("echo fine > src/a.txt");
    expect((await agent.stop()).status).toBe("passed");
    expect(await agent.project.state()).not.toHaveProperty("elsewhere");
  });

  test.each([
    ["merged", "git switch -q work && git merge -q fix && echo fine > src/a.txt"],
    ["removed", "git switch -q work && git branch -qD fix"],
  ])("is resolved by a pass after that branch was %s", async (_, line) => {
    const agent = await blocked();
    await agent.sh(line);
    expect((await agent.stop()).status).toBe("passed");
    expect(await agent.project.state()).toMatchObject({ open: [] });
    expect(await agent.project.state()).not.toHaveProperty("elsewhere");
  });
});

describe("an entry of the stash (G20e)", () => {
  test("is shown once if it was made here in the session, unless it was applied, and not if it is older or of another worktree", async () => {
    const agent = await Agent.begin(
      `echo BAD > src/a.txt && GIT_COMMITTER_DATE=2026-01-01T00:00Z git stash push -q && ${OLD_WORKTREE}`
    );
    await agent.sh(
      "(cd BESIDE && echo BAD > src/a.txt && git stash push -q)",
      "echo BAD > src/a.txt && git stash push -q",
      "echo fine > src/a.txt && git stash push -q && git stash apply -q",
      // Except for its untracked file, it is what is here at the stop.
      "echo BAD > src/n && git stash -qu && echo fine > src/a.txt"
    );
    const { text } = await agent.stop();
    expect(text).toContain(
      'the changes in stash@{2} were not checked; run "mux-stop-hooks run" after "git stash apply stash@{2}"'
    );
    expect(text.match(/changes in stash@\{\d\}/g)?.map((match) => match.at(-2))).toEqual([
      "2",
      "0",
    ]);
    expect(await agent.stop()).toEqual(NOTHING);
  });
});

describe("a worktree that was created in the session (G20e)", () => {
  test("is shown once with its commits and its uncommitted changes, but not one of another session or an agent host", async () => {
    const agent = await Agent.begin();
    for (const path of ["own", "other", ".mux/src/project/hosted", ".codex/worktrees/1"]) {
      const at = `BESIDE/${path}`;
      await agent.sh(`git worktree add -q ${at} && cd ${at}`, `${bad(path)} && touch new`);
    }
    await agent.message("another", `../${basename(agent.beside)}/other`);
    const { status, text } = await agent.stop();
    expect(status).toBe("no_changes");
    const own = `${agent.beside}/own`;
    expect(text.match(/ not checked/g)).toHaveLength(2);
    expect(text).toContain(
      `1 commit on own was not checked; run "mux-stop-hooks run" in ${own}; the uncommitted changes in ${own} were not checked; run "mux-stop-hooks run" there`
    );
    expect(await agent.stop()).toEqual(NOTHING);
  });

  test("is not shown without changes, or if its changes were checked there", async () => {
    const agent = await Agent.begin();
    await agent.sh("git worktree add -q BESIDE -b fix");
    expect(await agent.stop()).toEqual(NOTHING);
    const there = `../${basename(agent.beside)}`;
    await agent.message("s", there);
    await agent.sh("cd BESIDE && echo fine > src/a.txt && git commit -qam good && touch src/new");
    expect((await agent.stop(there)).status).toBe("passed");
    expect((await agent.stop()).text).toBe("");
  });
});

describe("a worktree that is older than the session (G20e)", () => {
  const begin = async (): Promise<Agent> =>
    await Agent.begin(
      `${OLD_WORKTREE} && export GIT_COMMITTER_DATE=2026-01-01T00:00Z && cd BESIDE && ${BAD}`
    );
  const bash = (command: string): object => ({ type: "tool_use", input: { command } });

  test("is shown with the work of the session if a tool call names a file in it or its path from here, not if only a text does, or a call one whose name begins alike", async () => {
    const agent = await begin();
    const { beside } = agent;
    await agent.says(bash(`cd ${beside}-2`), { type: "text", text: beside });
    await agent.sh("echo BAD > BESIDE/new");
    expect(await agent.stop()).toEqual(NOTHING);
    await agent.says({ type: "tool_use", input: { file_path: `${beside}/new` } });
    await agent.sh(`cd BESIDE && ${BAD}`);
    expect((await agent.stop()).text).toContain(
      `1 commit on other was not checked; run "mux-stop-hooks run" in ${beside}`
    );
    await agent.says(bash(`cd ../${basename(beside)} && make`));
    await agent.sh("echo BAD > BESIDE/new");
    expect((await agent.stop()).text).toContain(
      `the uncommitted changes in ${beside} were not checked`
    );
  });

  test("is shown with the entries of the stash that were made in it, on a branch or with a detached HEAD", async () => {
    const agent = await begin();
    await agent.says(bash(`cd ${agent.beside} && git stash`));
    for (const switched of ["true", "git switch -q --detach"]) {
      await agent.sh(`cd BESIDE && ${switched} && echo BAD > src/a.txt && git stash push -q`);
      expect((await agent.stop()).text).toContain("the changes in stash@{0} were not checked");
      expect(await agent.stop()).toEqual(NOTHING);
    }
  });

  test("that is the main one is shown if a call names it from here, not if one names a file of a worktree in it or has an import", async () => {
    const agent = await begin();
    const { dir } = agent.project;
    await agent.sh("git worktree add -q .worktrees/w && echo .worktrees >> .git/info/exclude");
    await agent.message("s", ".worktrees/w");
    const stopped = async (...parts: object[]): Promise<string> => {
      await agent.says(...parts);
      await agent.project.write("src/new", "BAD");
      return (await agent.stop(".worktrees/w")).text;
    };
    const file = bash(`cat ${dir}/.worktrees/w/src/a.txt`);
    expect(await stopped(file, bash("echo 'import \"../../x\"' > src/x.ts"))).toBe("");
    expect(await stopped(bash("cd ../.. && make"))).toContain(`changes in ${dir} were not`);
  });

  test("may be the main one", async () => {
    const agent = await begin();
    await agent.says(bash(`cd ${agent.project.dir}`));
    const there = `../${basename(agent.beside)}`;
    // Otherwise its last commit might be of the session.
    await agent.sh("sleep 0.05");
    await agent.message("s", there);
    await agent.sh("echo BAD > src/new");
    expect((await agent.stop(there)).text).toContain(`changes in ${agent.project.dir} were not`);
  });
});

describe("commits of the session without their fix (G20e)", () => {
  test("are shown once if uncommitted files are changed, new or removed, and not if nothing is committed or everything is", async () => {
    const agent = await Agent.begin();
    await agent.sh("echo fine > src/a.txt");
    expect((await agent.stop()).text).toBe("");
    await agent.sh("git commit -qam good");
    expect((await agent.stop()).text).toBe("");
    await agent.sh(
      `echo BAD > src/b && git add . && ${BAD}`,
      "echo fine > src/a.txt && rm src/b && touch src/n"
    );
    const { status, text } = await agent.stop();
    expect(status).toBe("passed");
    expect(text).toContain(
      "the gates passed with changes that no commit has (src/a.txt, src/b, src/n)"
    );
    expect(await agent.stop()).toEqual(NOTHING);
  });

  test("are not shown if the other files are older", async () => {
    const agent = await Agent.begin("touch src/old && git add -N src/old");
    await agent.later();
    await agent.sh("git commit -qm e --allow-empty");
    expect((await agent.stop()).text).toBe("");
  });
});

testHere("work in these files only starts no further process (G20e)", async () => {
  const agent = await Agent.begin();
  await agent.sh("git tag t && git update-ref refs/remotes/o/x HEAD");
  const started = vi.spyOn(agent.project.runtime, "exec");
  for (const line of ["echo fine > src/a.txt", "git commit -qam work", "true"]) {
    await agent.sh(line);
    await agent.stop();
  }
  const words = started.mock.calls.flatMap(([{ command }]) =>
    "file" in command ? command.args : []
  );
  expect(words).toContain("rev-parse");
  // Only the snapshots call git status, with the option -uall spelled out.
  expect(words.filter((word) => word === "status").length).toBe(
    words.filter((word) => word === "--untracked-files=all").length
  );
  for (const word of ["log", "diff-tree"]) expect(words).not.toContain(word);
});
