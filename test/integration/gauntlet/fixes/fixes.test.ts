import { readFile, symlink, utimes } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import { stopAt } from "@test/helpers/gauntlet/stops";

/** The check rejects files with a blank at the end of a line, and the fix removes it. */
const CHECK = [
  "command: '! grep -n \" $\" {files}'",
  "fix: sed -i.tmp 's/ *$//' {files} && rm -f *.tmp",
  "files: ['**/*.txt']",
].join("\n");
const CONFIG = "entry_points:\n  - path: src\n    checks: [blanks]\n";

const untidyProject = restoring(
  async (check?: string): Promise<GauntletProject> => {
    const project = await GauntletProject.create(CONFIG, { blanks: `${check ?? CHECK}\n` });
    await project.write("src/new.txt", "one \ntwo\n");
    await project.write("src/note.md", "not a text \n");
    return project;
  },
  ({ dir }) => [dir]
);

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

  test("a fix is named if another check is all that is left", async () => {
    const config = `${CONFIG}  - path: lib\n    checks: [fine]\n`;
    const checks = { blanks: `${CHECK}\n`, fine: "command: exit 0\n" };
    const project = await GauntletProject.create(config, checks);
    await project.write("src/a.txt", "a \n");
    await project.write("lib/b.txt", "b\n");
    const { result, personMessage } = await stopAt(project);
    expect(result.status).toBe("passed_with_warnings");
    expect(personMessage).toContain("fixes changed 1 file: src/a.txt");
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
    const { result } = await stopAt(project, { limitMs: 4_000 });
    expect(result).toMatchObject({ status: "failed", gatesRun: 1 });
    expect(result.warnings).toContainEqual(
      expect.stringContaining("the fix of check:src:blanks did not succeed: Timed out after 2 s")
    );
  });

  test("the logs of a fix and of its run have the same number", async () => {
    const project = await untidyProject("command: exit 1\nfix: ': {files}'");
    await project.run(READY);
    const logs = (await project.logs()).filter((name) => name.endsWith(".log"));
    expect(logs).toEqual(["check_src_blanks.1.log", "check_src_blanks~fix.1.log", "console.1.log"]);
  });
});

describe("the definition of a fix (G35)", () => {
  test("needs a placeholder, unless its scope is all files", async () => {
    const project = await untidyProject("command: 'true'\nfix: npm run format");
    const { status, message } = await project.run();
    expect(status).toBe("error");
    expect(message).toContain("blanks.yml:2:6: fix: a fix must contain {files} or {files0}");
  });
});
