/** Globs that match nothing, and globs that held a stop when each field had its own meaning (G4a). */
import { describe, expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { runGauntlet, trustNow } from "@test/helpers/gauntlet/trust";

const COMMAND = "command: '! grep -rl BAD {files}'\n";

/** Makes the state one of a version in which each field had its own meaning. */
async function asBefore(project: GauntletProject): Promise<void> {
  const { globs, ...state } = await project.state();
  await project.write("gauntlet_logs/.execution_state", JSON.stringify(state));
}

async function checked(config: string, check: string): Promise<GauntletProject> {
  const project = await GauntletProject.create(config, { lint: check });
  await project.shell("printf '/gauntlet_logs/\\n' >.git/info/exclude");
  await project.write("src/b.txt", "b\n");
  expect((await stopAt(project)).result.status).toMatch(/^passed|no_/);
  return project;
}

test("globs of a new project have one meaning, also if its first run is a shard (G4a, G10)", async () => {
  const config = "entry_points: [{ path: src, checks: [lint] }]\n";
  const project = await GauntletProject.create(config, { lint: COMMAND });
  await project.run({ shard: { job: 0, jobTotal: 1 } });
  await project.run();
  expect((await project.state()).globs).toEqual({});
});

describe("a configuration that held a stop before (G4a)", () => {
  test("excludes no more than before until it is written anew", async () => {
    const config = 'entry_points: [{ path: ., exclude: [ gen, "docs/**"], checks: [lint] }]\n';
    const project = await checked(config, COMMAND);
    await asBefore(project);
    await project.write("pkg/gen/x.txt", "BAD\n");
    const first = await stopAt(project);
    expect(first.result.status).toBe("failed");
    expect(first.personMessage).toContain(
      '"gen" in "exclude" of the entry point "." would now also take away 1 file in 1 folder'
    );
    expect(first.personMessage).toContain('write "/gen"');
    const again = await stopAt(project);
    expect(again.result.status).toBe("failed");
    expect(again.personMessage ?? "").not.toContain("would now also");

    // A clean and another configuration in between do not change the meaning.
    const home = project.path(".git/home");
    await trustNow(project.dir, home);
    expect(await runGauntlet(project.dir, home, ["clean"])).toMatchObject({ code: 0 });
    expect((await stopAt(project)).result.status).toBe("failed");

    const validated = await runGauntlet(project.dir, home, ["validate"]);
    expect(validated.stdout).toContain('config.yml:2:38: entry_points[0].exclude[0]: "gen" in');
    expect(validated.stdout).toContain("validate --fix");
    const fixed = await runGauntlet(project.dir, home, ["validate", "--fix"]);
    expect(fixed.stdout).toContain("Wrote the globs anew in .gauntlet/config.yml");
    expect(await project.read(".gauntlet/config.yml")).toContain("exclude: [ '/gen', \"docs/**\"]");
    expect((await stopAt(project)).result.status).toBe("failed");
    expect((await runGauntlet(project.dir, home, ["validate", "--fix"])).stdout).toContain(
      "Nothing was written"
    );
  });

  test("has both meanings in a new linked worktree, and for detect, plan and shards", async () => {
    const config =
      "log_dir: gauntlet_logs\nentry_points: [{ path: ., exclude: [gen], checks: [lint] }]\n";
    const project = await checked(config, "command: '! grep -rl BAD pkg'\n");
    const paths = async (at: GauntletProject): Promise<string[]> =>
      await Promise.all(
        [["detect"], ["plan", "--json"]].map(async (args) => {
          const { stdout } = await runGauntlet(at.dir, project.path(".git/home"), args);
          return stdout.includes("check:.:lint") ? "due" : "not due";
        })
      );
    await project.commit("work");
    await project.git("branch", "--force", "main");
    await project.git("commit", "--quiet", "--allow-empty", "--message", "more");
    await project.write("pkg/gen/x.txt", "BAD\n");
    expect(await paths(project)).toEqual(["not due", "not due"]);
    await asBefore(project);
    expect(await paths(project)).toEqual(["due", "due"]);
    const shard = { job: 0, jobTotal: 1 };
    expect((await project.run({ shard })).status).toBe("failed");

    const linked = GauntletProject.at(`${project.dir}-linked`);
    await project.git("worktree", "add", "--quiet", "-b", "other", linked.dir);
    await linked.write("pkg/gen/x.txt", "BAD\n");
    expect(await paths(linked)).toEqual(["due", "due"]);
    expect((await stopAt(linked)).result.status).toBe("failed");
    expect((await stopAt(linked)).result.status).toBe("failed");
    // The main worktree does not matter for a worktree with a state of its own.
    await linked.write("gauntlet_logs/.execution_state", '{ "globs": {} }');
    expect(await paths(linked)).toEqual(["not due", "not due"]);
  });

  test("checks again what passed with fewer files, also from the cache", async () => {
    const check = "command: test -e ../.git/fewer || ! grep -rl BAD .\ninputs: ['*.txt']\n";
    const project = await checked("entry_points: [{ path: src, checks: [lint] }]\n", check);
    // It passes as one that did not look at the file.
    await project.write(".git/fewer", "");
    await project.write("src/deep/c.txt", "BAD\n");
    expect((await stopAt(project)).result.status).toBe("passed");
    await project.remove(".git/fewer");
    expect((await stopAt(project)).result.status).toBe("no_changes");
    await asBefore(project);
    expect((await stopAt(project)).result.status).toBe("failed");
  });

  test("with a list that takes files away has the files of both meanings", async () => {
    const check = `${COMMAND}files: ['**/*.txt', '!**/*.gen.txt']\n`;
    const project = await checked("entry_points: [{ path: src, checks: [lint] }]\n", check);
    await project.write("src/a.gen.txt", "BAD\n");
    expect((await stopAt(project)).result.status).toBe("no_applicable_gates");
    await asBefore(project);
    const stop = await stopAt(project);
    expect(stop.result.status).toBe("failed");
    expect(stop.personMessage).toContain('a pattern with "!" now takes files away again');
    const home = project.path(".git/home");
    await runGauntlet(project.dir, home, ["validate", "--fix"]);
    expect(await project.read(".gauntlet/checks/lint.yml")).toContain(
      "['/**/*.txt', '!*.gen.txt']"
    );
  });
});

test("a gate that no file can make due is named at the first stop with changes, and by validate with its position (G4a)", async () => {
  const config =
    'entry_points:\n  - { path: SRC, checks: [lint] }\n  - { path: src, checks: [ts, txt], exclude: ["*.log"] }\n  - { path: .gauntlet, checks: [txt] }\n';
  const project = await GauntletProject.create(config, {
    lint: COMMAND,
    ...{ ts: `${COMMAND}files: ['**/*.ts']\n`, txt: `${COMMAND}files: ['*.txt']\n` },
    old: COMMAND,
  });
  const quiet = await stopAt(project);
  expect(quiet.personMessage).toContain("no entry point names this check");
  expect(quiet.personMessage).not.toContain("no file of the project");
  await project.write("src/b.txt", "b\n");
  const { personMessage = "" } = await stopAt(project);
  expect(personMessage).toContain(
    'no file of the project is in the entry point "SRC", so its gates never run; did you mean "src"?'
  );
  expect(personMessage).toContain('"files" of the check "ts" match no file of the project');
  expect(personMessage).not.toMatch(/\*\.log|"txt"/);
  await project.write("src/b.txt", "c\n");
  expect((await stopAt(project)).personMessage ?? "").not.toContain("match no file");

  const { stdout, code } = await runGauntlet(project.dir, project.path(".git/home"), ["validate"]);
  expect(code).toBe(0);
  expect(stdout).toContain("config.yml:3:13: entry_points[0].path: no file of the project is in");
  expect(stdout).toContain('entry_points[1].exclude[0]: "*.log" in "exclude" of the entry point');
  expect(stdout).toContain("checks/ts.yml:2:9: files[0]: ");
  expect(stdout).toContain("checks/old.yml:1:1: no entry point names this check");
});
