import { readFile, symlink, utimes, chmod, stat, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { MIB } from "@/common/limits";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { main } from "@/cli/gauntlet/program";
import { testContext } from "@test/helpers/cliContext";

/** The check rejects files with a blank at the end of a line, and the fix removes it. */
const CHECK = [
  "command: '! grep -n \" $\" {files}'",
  "fix: sed -i.tmp 's/ *$//' {files} && rm -f *.tmp",
  "files: ['**/*.txt']",
].join("\n");
const CONFIG = "entry_points:\n  - path: src\n    checks: [blanks]\n";

const untidyProject = restoring(async (check?: string) => {
  const project = await GauntletProject.create(CONFIG, { blanks: `${check ?? CHECK}\n` });
  await project.write("src/new.txt", "one \ntwo\n");
  await project.write("src/note.md", "not a text \n");
  return project;
});

const READY = { fix: true };

describe("fixes (G35)", () => {
  test("a fix that leaves nothing to check is still named", async () => {
    const project = await GauntletProject.create(CONFIG, { blanks: `${CHECK}\n` });
    await project.write("src/a.txt", "a \n");
    const { result, personMessage } = await stopAt(project);
    expect([result.status, await project.read("src/a.txt")]).toEqual(["no_changes", "a\n"]);
    expect(personMessage).toContain("fixes changed 1 file: src/a.txt");
  });

  test("a fix gets no unchanged file after a change of a global dependency (G10)", async () => {
    const config = `global_dependencies: [lint.conf]\n${CONFIG}`;
    const project = await GauntletProject.create(config, { blanks: `${CHECK}\n` });
    await project.shell("git switch -q main");
    await project.write("src/old.txt", "old \n");
    await project.commit("old");
    await project.shell("git switch -q work && git merge -q main");
    await project.write("lint.conf", "strict\n");
    await project.write("src/a.txt", "a \n");
    expect((await stopAt(project)).result.status).toBe("failed");
    expect(await project.read("src/a.txt")).toBe("a\n");
    expect(await project.read("src/old.txt")).toBe("old \n");
  });

  test("a fix runs before the gates, on the changed files only, and the gates check its result", async () => {
    const project = await untidyProject();
    await project.write("src/a.txt", "a\n");
    const index = await readFile(project.path(".git/index"));
    const result = await project.run(READY);
    expect(result).toMatchObject({
      status: "passed_with_warnings",
      message: "all gates passed, 1 file fixed",
      caveat: 'fixes changed 1 file: src/new.txt; "mux-stop-hooks undo-fix" restores them',
    });
    expect(result.gates[0]).toMatchObject({ outcome: "passed", fixedFiles: ["src/new.txt"] });
    expect(await project.read("src/new.txt")).toBe("one\ntwo\n");
    expect(await project.read("src/note.md")).toBe("not a text \n");
    expect(await readFile(project.path(".git/index"))).toEqual(index);
    // The pass is for the fixed tree.
    expect((await project.run(READY)).status).toBe("no_changes");
  });

  test("a stop fixes, unlike a plain run, but not if the agent may only plan or the user's own file turns fixes off", async () => {
    const planning = await untidyProject();
    expect((await planning.run()).status).toBe("failed");
    expect((await stopAt(planning, { isPlanning: true })).result.status).toBe("failed");
    expect(await planning.read("src/new.txt")).toBe("one \ntwo\n");

    await planning.write(
      ".git/home/.config/agent-gauntlet/config.yml",
      "stop_hook: { fix: false }\n"
    );
    const home = planning.path(".git/home");
    expect((await stopAt(planning, { home })).result.status).toBe("failed");
    expect(await planning.read("src/new.txt")).toBe("one \ntwo\n");

    const { result, personMessage } = await stopAt(await untidyProject());
    expect(result.status).toBe("passed_with_warnings");
    expect(personMessage).toContain("fixes changed 1 file: src/new.txt");
  });

  test("no fix runs in CI, or while a merge is in progress", async () => {
    const project = await untidyProject();
    const inCi = await project.run({ ...READY, env: { CI: "true" } });
    expect(inCi.warnings).toContain("no fix was run, because this is a CI run");
    await project.write(".git/MERGE_HEAD", "0".repeat(40));
    const merging = await project.run(READY);
    expect(merging.warnings).toContainEqual(expect.stringContaining("a merge is in progress"));
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
  });

  test("a fix gets no link, no file with conflicts, and no file from before the user's turn", async () => {
    const project = await untidyProject();
    await project.write("../outside.txt", "outside \n");
    await symlink("../../outside.txt", project.path("src/link.txt"));
    await project.shell(
      [
        "git add src/new.txt && git commit -qm one && git switch -qc other HEAD~1",
        "printf 'x \\n' > src/new.txt && git add . && git commit -qm two",
        "printf 'y \\n' > src/new.txt && git stash -q && git switch -q work && git stash pop -q || true",
      ].join(" && ")
    );
    const conflict = await project.read("src/new.txt");
    expect(conflict).toMatch(/^<<<<<<< .*\n.* $/ms);
    const { status } = await project.run(READY);
    expect(status).toBe("failed");
    expect(await project.read("../outside.txt")).toBe("outside \n");
    expect(await project.read("src/new.txt")).toBe(conflict);
  });

  test("a file that did not change since the user's turn began is not fixed", async () => {
    const project = await untidyProject();
    await project.write("src/fresh.txt", "fresh \n");
    const past = new Date(Date.now() - 60_000);
    await utimes(project.path("src/new.txt"), past, past);
    const at = new Date(Date.now() - 30_000).toISOString();
    await project.write(".git/agent-gauntlet/turns/none.json", JSON.stringify({ id: "t", at }));
    const { result } = await stopAt(project);
    expect(result.status).toBe("failed");
    expect(await stopReason(project.runtime, result)).toContain(
      "this command in its folder fixes them:\n      | sed -i.tmp 's/ *$//' ./new.txt && rm -f *.tmp\n"
    );
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    expect(await project.read("src/fresh.txt")).toBe("fresh\n");
  });

  test("a fix that fails is a warning, as are its changes of other files, which stay, and the check decides", async () => {
    const project = await untidyProject(
      "command: 'true'\nfix: cat {files} > ../others.txt; exit 3"
    );
    const result = await project.run(READY);
    expect(result.status).toBe("passed");
    expect(result.warnings).toContainEqual(
      expect.stringMatching(
        /^the fix of check:src:blanks did not succeed: Exited with code 3; its log is .*check_src_blanks~fix\.1\.log$/
      )
    );
    expect(result.warnings).toContain(
      "the fix of check:src:blanks also changed 1 file that it did not get: others.txt"
    );
    expect(await project.read("others.txt")).toContain("one");
    // The logs of a pass are moved.
    const [, log = ""] = /its log is (.*)$/.exec(result.warnings.join("\n")) ?? [];
    expect(await readFile(log, "utf8")).toContain("Exited with code 3");
  });

  test("a fix that hangs is ended, and the gates run", async () => {
    const project = await untidyProject("command: exit 1\nfix: 'sleep 60; : {files}'");
    const { result } = await stopAt(project, { limitMs: 10_000 });
    expect(result).toMatchObject({ status: "failed", gatesRun: 1 });
    expect(result.warnings).toContainEqual(
      expect.stringMatching(
        /^the fix of check:src:blanks did not succeed: Timed out after [\d.]+ s/
      )
    );
  });
});

test("the definition of a fix needs a placeholder, unless its scope is all files (G35)", async () => {
  const project = await untidyProject("command: 'true'\nfix: npm run format");
  const { status, message } = await project.run();
  expect(status).toBe("error");
  expect(message).toContain("blanks.yml:2:6: fix: a fix must contain {files} or {files0}");
});

/** A project whose check has run its fix. */
const fixedProject = restoring(async () => {
  const project = await untidyProject();
  await project.write("src/other.txt", "three \n");
  await project.run(READY);
  return project;
});

const FIXES = ".git/agent-gauntlet/fixes";

/** Changes the record of the only fixes, and returns its folder. */
async function changeRecord(project: GauntletProject, change: object): Promise<string> {
  const [entry = ""] = (await project.logs(FIXES)).filter((file) => /^\d+$/.test(file));
  const record = `${FIXES}/${entry}/record.json`;
  const fix = JSON.parse(await project.read(record)) as object;
  await project.write(record, JSON.stringify({ ...fix, ...change }));
  return `${FIXES}/${entry}`;
}

async function undo(project: GauntletProject): Promise<{ code: number; text: string }> {
  const context = testContext({ cwd: project.dir, home: project.dir });
  const code = await main(["undo-fix"], context);
  return { code, text: context.stdout.text + context.stderr.text };
}

describe("undo-fix (G35)", () => {
  test("restores the files, but not those that were changed again", async () => {
    const project = await fixedProject();
    await project.write("src/other.txt", "my own words\n");
    const { code, text } = await undo(project);
    expect(code).toBe(0);
    expect(text).toBe(
      "Restored 1 file:\n  - src/new.txt\nNot restored, because it was changed after the fix:\n  - src/other.txt\n"
    );
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    expect(await project.read("src/other.txt")).toBe("my own words\n");
    expect((await undo(project)).text).toBe("There is no fix to undo.\n");
  });

  test("touches no file outside of the project or in .git that only its record names", async () => {
    const project = await fixedProject();
    const names = ["../victim", "src/../../victim2", ".git/victim", "src/../ours"];
    for (const name of names) await writeFile(project.path(name), "mine");
    await changeRecord(project, { files: names });
    await undo(project);
    for (const name of names) expect(await readFile(project.path(name), "utf8")).toBe("mine");
  });

  test("removes a file that the fix created, and restores one that it deleted", async () => {
    const project = await untidyProject(
      "command: 'true'\nfix: rm -f new.txt; echo made > made.txt\nfix_scope: all"
    );
    expect((await project.run(READY)).gates[0]?.fixedFiles).toEqual([
      "src/made.txt",
      "src/new.txt",
    ]);
    expect((await undo(project)).code).toBe(0);
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    await expect(project.read("src/made.txt")).rejects.toThrow("ENOENT");
  });

  test("restores a large file that git does not track (G9)", async () => {
    const project = await untidyProject("command: 'true'\nfix: echo gone > dev.db\nfix_scope: all");
    const before = "x".repeat(2 * MIB);
    await project.write("src/dev.db", before);
    await project.write("src/other.db", before);
    await stopAt(project);
    expect(await project.read("src/dev.db")).toBe("gone\n");
    const [entry = ""] = (await project.logs(FIXES)).filter((file) => /^\d+$/.test(file));
    expect(await project.logs(`${FIXES}/${entry}/before`)).toHaveLength(1);
    expect((await undo(project)).text).toContain("src/dev.db");
    expect(await project.read("src/dev.db")).toBe(before);
  });

  test("restores the files of every stop of the turn, also after a stop without a fix", async () => {
    const project = await untidyProject(`${CHECK}\n`);
    const turn = { sessionId: "s", turnId: "t" };
    await stopAt(project, turn);
    await project.write("src/more.txt", "more \n");
    await stopAt(project, turn);
    await project.write("src/fine.txt", "fine\n");
    await stopAt(project, turn);
    expect((await undo(project)).text).toBe(
      "Restored 2 files:\n  - src/more.txt\n  - src/new.txt\n"
    );
    expect(await project.read("src/more.txt")).toBe("more \n");
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
  });

  test("restores bytes and modes, and needs no valid configuration", async () => {
    const project = await untidyProject();
    await project.shell("git config core.autocrlf true");
    await project.write("src/new.txt", "one \r\ntwo \r\n\0\xff");
    await chmod(project.path("src/new.txt"), 0o600);
    const before = await readFile(project.path("src/new.txt"));
    await project.write(
      ".gauntlet/checks/blanks.yml",
      "command: ': {files}'\nfix: \"printf 'one\\n' > new.txt; : {files}\"\nfiles: ['**/*.txt']\n"
    );
    await project.run(READY);
    expect(await project.read("src/new.txt")).toBe("one\n");
    await project.write(".gauntlet/config.yml", "entry_points: [");
    expect((await undo(project)).text).toContain("src/new.txt");
    expect(await readFile(project.path("src/new.txt"))).toEqual(before);
    expect((await stat(project.path("src/new.txt"))).mode & 0o777).toBe(0o600);
  });

  test("leaves restored files alone in the session", async () => {
    const project = await untidyProject();
    const turn = { sessionId: "s", turnId: "t" };
    await stopAt(project, turn);
    await undo(project);
    expect((await stopAt(project, turn)).result.status).toBe("failed");
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    await stopAt(project, { ...turn, sessionId: "other" });
    expect(await project.read("src/new.txt")).toBe("one\ntwo\n");
  });

  test("restores what a killed fix changed, and keeps what it replaced", async () => {
    const project = await fixedProject();
    const folder = await changeRecord(project, { files: ["src/new.txt"], isWhole: false });
    await project.remove(`${folder}/after`);
    const { text } = await undo(project);
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    const [, kept = ""] = /is in (.*)\.\n/.exec(text) ?? [];
    const [copy = ""] = await project.logs(kept.slice(project.dir.length + 1));
    expect(await readFile(`${kept}/${copy}`, "utf8")).toBe("one\ntwo\n");
  });
});
