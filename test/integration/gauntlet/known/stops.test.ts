/** Stops in a project whose checks fail before the agent begins (G43 to G47). */
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { KnownProject, recorded } from "@test/helpers/gauntlet/knownProject";

const SHARED = ".gauntlet/known/it.jsonl";
const OLD = { "a.js": "one\nBAD-old\nthree\n", "b.js": "BAD-other\n", "README.md": "text\n" };

describe("only old failures", () => {
  test("do not block, and the user sees count, commit and date at each stop (G45)", async () => {
    const known = await recorded({ files: OLD });
    const head = (await known.project.git("rev-parse", "HEAD")).slice(0, 10);
    const day = new Date().toISOString().slice(0, 10);
    const text = `check:.:it still fails: 2 known failures, recorded on ${day} at ${head}`;
    await known.project.write("README.md", "more text\n");
    const first = await known.stop();
    expect(first.status).toBe("passed_with_warnings");
    expect(first.personMessage).toContain(text);
    expect(first.result.gates).toMatchObject([{ outcome: "known", known: { count: 2 } }]);

    await known.project.write("README.md", "even more text\n");
    const second = await known.stop();
    expect(second.personMessage).toContain(text);
  });

  test("move no baseline, are not cached, and start no interval (G45)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("README.md", "more text\n");
    await known.stop();
    expect(await known.project.state()).toMatchObject({ baselines: {}, partial: true });
    const interval = { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "10" };
    await known.project.write("README.md", "even more text\n");
    const { status } = await known.stop({ verify: false, env: { ...known.env, ...interval } });
    expect(status).toBe("passed_with_warnings");
  });

  test("are not looked for again if nothing changed, and the user sees the same text (G45)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("README.md", "more text\n");
    const first = await known.stop();
    await known.newTurn();
    const { result, personMessage } = await known.stop();
    expect(result).toMatchObject({ status: "no_changes", gatesRun: 0 });
    expect(personMessage).toContain(first.personMessage?.split(": ").slice(1).join(": "));
  });

  test("are known in a worktree of the same repository, and after an amended commit (G44)", async () => {
    const known = await recorded({ files: OLD });
    const { project } = known;
    await project.git("commit", "--amend", "--quiet", "--message", "other words");
    await project.shell(
      'git branch --force main && git worktree add --quiet "$PWD-other" -b other'
    );
    await project.write("README.md", "more text\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
    const other = `${project.dir}-other`;
    await writeFile(`${other}/README.md`, "more\n");
    expect((await known.stop({ cwd: other, sessionId: "t" })).status).toBe("passed_with_warnings");
  });

  test("are known after lines moved, a file was renamed, and code was formatted (G43)", async () => {
    const known = await recorded({
      files: { "a.js": `${"line\n".repeat(60)}BAD-old\n`, "b.js": "x\n" },
    });
    const text = await readFile(known.project.path("a.js"), "utf8");
    await known.project.write("a.js", `${"// new\n".repeat(40)}${text}`);
    expect((await known.stop()).status).toBe("passed_with_warnings");
    await known.project.shell("git add --all && git mv a.js renamed.js");
    expect((await known.stop()).status).toBe("passed_with_warnings");
    await known.project.write("renamed.js", text.replace("BAD-old", "  BAD-old"));
    expect((await known.stop()).status).toBe("passed_with_warnings");
  });
});

describe("a new failure", () => {
  test("blocks, and is the only one that the agent gets (G45)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("b.js", "BAD-other\nBAD-new\n");
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("b.js:2:1 Do not use this in line 2 [new]");
    expect(reason).toContain(
      "2 older failures in this log are known and not caused by your change"
    );
    expect(reason).not.toContain("[old]");
    expect(reason).not.toContain("a.js");
    const list = known.project.path("gauntlet_logs/findings_._it.1.txt");
    expect(await readFile(list, "utf8")).toBe("b.js:2:1 Do not use this in line 2 [new]\n");
  });

  test("of the same rule blocks although an old one was fixed (G43)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("a.js", "one\ntwo\nthree\nnew: BAD-old\n");
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("a.js:4:6");
  });

  test("on an added line with the text of an old one blocks, and the old one is not named (G43)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("a.js", "BAD-old\none\nBAD-old\nthree\n");
    const { status, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("1 finding in 1 file");
    expect(reason).toContain("a.js:");
  });

  test("is no new one if its line moved to another place of the file (G43)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("a.js", "one\nthree\nfour\nBAD-old\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
  });

  test("of a fixed one is tried once more before it blocks (G47)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("a.js", "one\ntwo\nthree\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
    await known.project.git("checkout", "--quiet", "a.js");
    await known.project.write("c.js", "code\n");
    const { status, result } = await known.stop();
    expect(status).toBe("failed");
    expect(result.gates).toMatchObject([{ runs: 2, known: { count: 1 } }]);
  });
});

describe("a check without a record", () => {
  test("that never passed does not block if only texts changed, and the user sees it (G45)", async () => {
    const known = await KnownProject.create({ files: OLD });
    await known.newTurn();
    await known.project.write("README.md", "more text\n");
    await known.project.write(".claude/settings.local.json", "{}\n");
    const { status, personMessage } = await known.stop();
    expect(status).toBe("infrastructure_error");
    expect(personMessage).toContain(
      'check:.:it: Exited with code 1; no run of the gates has passed it here, and only texts changed. "mux-stop-hooks known record --gate it"'
    );
    await known.project.write("a.js", "one\nBAD-old\nmore\n");
    const code = await known.stop();
    expect(code.status).toBe("failed");
    expect(code.personMessage).toContain("check:.:it: 2 failures may be older than the change.");
  });

  test("that prints nothing is not offered for a record, which is refused (G45)", async () => {
    const known = await KnownProject.create({ check: "command: exit 1\n" });
    await known.newTurn();
    await known.project.write("a.js", "code\n");
    const { status, personMessage } = await known.stop();
    expect({ status, personMessage }).toEqual({ status: "failed", personMessage: undefined });
    const texts = await KnownProject.create({ check: "command: exit 1\n" });
    await texts.newTurn();
    await texts.project.write("README.md", "more text\n");
    expect((await texts.stop()).personMessage).toMatch(
      /only texts changed; the changes were not verified$/m
    );
  });

  test("that has passed here blocks although only texts changed (G45)", async () => {
    const known = await KnownProject.create({ check: "command: test ! -e .git/bad\n" });
    await known.newTurn();
    await known.project.write("a.js", "x\n");
    expect((await known.stop()).status).toBe("passed");
    await known.project.write("README.md", "more text\n");
    await known.project.write(".git/bad", "");
    expect((await known.stop()).status).toBe("failed");
  });

  test("that is only the example of init verifies nothing, and the user sees it once (G29)", async () => {
    const config =
      "entry_points:\n  - path: .\n    checks:\n      - conflict-markers: { command: 'true' }\n";
    const known = await KnownProject.create({ config });
    await known.newTurn();
    await known.project.write("README.md", "more text\n");
    const { status, personMessage } = await known.stop();
    expect(status).toBe("passed");
    expect(personMessage).toContain("nothing of this project was verified");
    await known.project.write("README.md", "even more text\n");
    expect((await known.stop()).personMessage).toBeUndefined();
  });

  test("blocks if it names a text that changed (G45)", async () => {
    const check = "command: 'echo \"README.md:1:1: Too short. [Error/length]\"; exit 1'\n";
    const known = await KnownProject.create({ check });
    await known.newTurn();
    await known.project.write("README.md", "more text\n");
    expect((await known.stop()).status).toBe("failed");
  });
});

describe("a record does not count", () => {
  test("if something else than the command changed it, and the user sees its path (G44)", async () => {
    const known = await recorded({ files: OLD });
    const path = known.project.path(".git/agent-gauntlet/known/root/it.jsonl");
    const text = await readFile(path, "utf8");
    await known.project.write("b.js", "BAD-other\nBAD-new\n");
    const added = text.replace(
      /\{"file":"b\.js".*\n/,
      (line) => line + line.replace("other", "new")
    );
    await writeFile(path, added);
    const { status, personMessage, reason } = await known.stop();
    expect(status).toBe("failed");
    expect(reason).toContain("3 findings");
    expect(personMessage).toContain(`the record of known failures ${path} does not count`);
  });

  test("for another command, and for one with other variables (G44)", async () => {
    const known = await recorded({ files: OLD });
    for (const check of ["command: sh ./lint.sh\n", "command: sh lint.sh\nenv: { A: b }\n"]) {
      await known.project.write(".gauntlet/checks/it.yml", check);
      await known.project.write("c.js", `${check}\n`);
      expect((await known.stop()).status).toBe("failed");
      await known.newTurn();
    }
  });

  test("if it is of a commit that the agent made in this turn (G44)", async () => {
    const known = await KnownProject.create({ files: OLD });
    await known.newTurn();
    await known.project.write("b.js", "BAD-other\nBAD-new\n");
    await known.project.commit("of the agent");
    await known.record();
    await known.project.write("README.md", "more\n");
    expect((await known.stop()).status).toBe("failed");
  });

  test("in CI (G45)", async () => {
    const known = await recorded({ files: OLD });
    await known.project.write("README.md", "more text\n");
    const { status } = await known.project.run({ env: { ...known.env, CI: "1" } });
    expect(status).toBe("failed");
  });
});

describe("a shared record", () => {
  test("counts as it is in the commit where the turn began, not as the change left it (G44)", async () => {
    const known = await KnownProject.create({ files: OLD });
    await known.record({ isShared: true });
    const path = ".gauntlet/known/it.jsonl";
    const text = await known.project.read(path);
    expect(text.split("\n").slice(1)).toEqual([...text.split("\n").slice(1, -1)].sort().concat(""));
    await known.project.commit("record");
    await known.newTurn();
    await known.project.write("README.md", "more\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
    await known.project.write("b.js", "BAD-other\nBAD-new\n");
    await known.project.write(
      path,
      text.replace(/\{"file":"b.*\n/, (one) => one + one.replace("other", "new"))
    );
    await known.project.commit("launder");
    expect((await known.stop()).status).toBe("failed");
  });

  test("of two branches that fix one failure each merges without a conflict (G44)", async () => {
    const known = await KnownProject.create({ files: OLD });
    const { project } = known;
    await known.record({ isShared: true });
    const [head = "", a = "", b = ""] = (await project.read(SHARED)).split("\n");
    await project.commit("record");
    await project.write(SHARED, `${head}\n${b}\n`);
    await project.write("a.js", "fixed\n");
    await project.commit("fix a");
    await project.shell("git switch --quiet --create two HEAD~1");
    await project.write(SHARED, `${head}\n${a}\n`);
    await project.write("b.js", "fixed\n");
    await project.commit("fix b");
    await project.git("merge", "--quiet", "--no-edit", "work");
    // git keeps both of two adjacent lines, so these are found as fixed.
    expect(await project.read(SHARED)).toBe(`${head}\n${a}\n${b}\n`);
    expect((await project.run({ env: known.env, all: true })).status).toBe("passed");
    const { stdout } = await agentGauntlet(project, ["known", "prune"], { env: known.env });
    expect(stdout).toBe("check:.:it: 2 failures removed that no longer occur\n");
    expect(await project.read(SHARED)).toBe(`${head}\n`);
  });

  test("does not have a failure that was fixed once, until it is recorded again (G47)", async () => {
    const known = await KnownProject.create({ files: { "a.js": "BAD-old\n" } });
    await known.record({ isShared: true });
    await known.project.commit("record");
    await known.newTurn();
    await known.project.write("a.js", "fixed\n");
    expect((await known.stop()).status).toBe("passed");
    await known.project.write("a.js", "BAD-old\n");
    expect((await known.stop()).status).toBe("failed");
    await known.record({ isShared: true });
    await known.newTurn();
    await known.project.write("b.js", "fine\n");
    expect((await known.stop()).status).toBe("passed_with_warnings");
  });

  test("with a failure that no longer occurs fails in CI, and names the command (G45)", async () => {
    const known = await KnownProject.create({ files: OLD });
    await known.record({ isShared: true });
    await known.project.commit("record");
    const env = { ...known.env, CI: "1" };
    await known.project.write("a.js", "fixed\n");
    const one = await known.project.run({ env });
    expect(one.gates[0]?.explanation?.text).toBe(
      '1 failure of .gauntlet/known/it.jsonl no longer occurs; run "mux-stop-hooks run --all --gate it", then "mux-stop-hooks known prune --gate it", and commit the file'
    );
    await known.project.write("b.js", "fixed\n");
    const all = await known.project.run({ env });
    expect(all.status).toBe("failed");
    expect(all.gates[0]?.explanation?.text).toContain(
      "2 failures of .gauntlet/known/it.jsonl no longer occur;"
    );
  });
});
