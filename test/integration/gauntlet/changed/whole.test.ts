/** Checks with `{files}` or `{base}` whose command does not see every change (G32, G33). */
import { describe, expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - { path: ., exclude: [/.gauntlet], checks: [lint] }\n";
/** Looks at the files that tools with `{base}` look at. */
const SINCE = `command: "! { git diff --name-only {base}...HEAD; git diff --name-only HEAD; git ls-files -o --exclude-standard; } | grep '^src/' | xargs cat /dev/null | grep -q BAD"\n`;
const FULL = "full: '! grep -rq BAD src'\n";

async function projectOf(check: string, more = "", files: Readonly<Record<string, string>> = {}) {
  const project = await GauntletProject.create(`${CONFIG}${more}`, { lint: check }, { files });
  await project.write(".git/info/exclude", "/gauntlet_logs/\n");
  return project;
}

/** Makes a commit that fails, a pass with a fix that is not committed, and undoes the fix. */
async function undone(check: string): Promise<GauntletProject> {
  const project = await projectOf(check);
  await project.write("src/a.txt", "BAD\n");
  await project.commit("bad");
  await project.write("src/a.txt", "good\n");
  expect((await stopAt(project)).result.status).toBe("passed");
  await project.git("checkout", "src/a.txt");
  return project;
}

describe("a fix that is undone after a pass (G33)", () => {
  test("is seen by the full command", async () => {
    const project = await undone(`${SINCE}${FULL}`);
    const { result } = await stopAt(project);
    expect(result).toMatchObject({ status: "failed" });
    expect(result.gates[0]?.command).toBe("! grep -rq BAD src");
  });

  test("is not verified without one, which the user is told, and does not block", async () => {
    const project = await undone(SINCE);
    const { result, personMessage } = await stopAt(project);
    expect(result.status).toBe("infrastructure_error");
    expect(personMessage).toContain("does not see a change of src/a.txt");
    expect(personMessage).toContain('add "full:"');
    // Once in a turn.
    expect((await stopAt(project)).personMessage).toBeUndefined();
    expect((await stopAt(project, { beginsTurn: true })).personMessage).toContain('add "full:"');
  });

  test("is not verified by a pass of a retry either (G36)", async () => {
    const project = await undone(
      `${SINCE.replace('"!', '"rm .git/once && exit 1; !')}retries: 1\n`
    );
    await project.write(".git/once", "");
    const { result } = await stopAt(project);
    expect(result.status).toBe("infrastructure_error");
    expect(result.errorMessage).toContain("does not see a change of src/a.txt");
  });

  test("is seen by vitest, which then runs all tests", async () => {
    const project = await projectOf("command: ./vitest run --changed {base} --passWithNoTests\n");
    // Without the option, it passes if the files fit together.
    await project.script(
      "vitest",
      'case "$*" in *--changed*) exit 0;; esac; grep -q good src/a.txt && test -e src/b.txt'
    );
    await project.write("src/b.txt", "b\n");
    await project.write("src/a.txt", "BAD\n");
    await project.commit("bad");
    await project.write("src/a.txt", "good\n");
    expect((await stopAt(project)).result.status).toBe("passed");
    await project.git("stash", "--quiet");
    const stop = await stopAt(project);
    expect(stop.result.status).toBe("failed");
    expect(stop.result.gates[0]?.command).toBe("./vitest run --passWithNoTests");

    // A deletion that breaks a test has no test of its own.
    await project.git("stash", "pop", "--quiet");
    await project.remove("src/b.txt");
    expect((await stopAt(project)).result.status).toBe("failed");
  });
});

describe("a deletion (G32)", () => {
  const RELATED = "command: '! grep -l BAD {files}'\nfiles: [\"*.txt\"]\n";

  test("runs the full command of a check with {files}", async () => {
    const project = await projectOf(`${RELATED}full: test -e src/a.txt\n`);
    await project.remove("src/a.txt");
    // The gate is unresolved at the second stop.
    for (let stops = 0; stops < 2; stops++) {
      const { result } = await stopAt(project);
      expect(result).toMatchObject({ status: "failed" });
      expect(result.gates[0]?.command).toBe("test -e src/a.txt");
    }
  });

  test("is named to the user without one", async () => {
    const check = "command: 'true {files}'\nfiles: [\"*.txt\"]\n";
    const project = await projectOf(check);
    await project.remove("src/a.txt");
    await project.write("src/b.txt", "b\n");
    const { result, personMessage } = await stopAt(project);
    expect(result.status).toBe("passed");
    expect(personMessage).toContain(
      'check:.:lint did not cover the deletion of src/a.txt: its command gets only files that exist; add "full:"'
    );
  });
});

const LINT = "command: '! grep -l BAD {files}'\nfiles: [\"*.txt\"]\n";
const GLOBAL = "global_dependencies: [lint.conf]\n";

test("a change of a global dependency gives a check with {files} all files, and a check with full runs that (G10)", async () => {
  const project = await projectOf(LINT, GLOBAL, { "src/old.txt": "BAD\n" });
  await project.write("src/new.txt", "new\n");
  expect((await stopAt(project)).result.status).toBe("passed");
  await project.write("lint.conf", "strict\n");
  const { result } = await stopAt(project);
  expect(result.status).toBe("failed");
  expect(result.gates[0]?.command).toContain("./src/a.txt ./src/new.txt ./src/old.txt");
  await project.write(".gauntlet/checks/lint.yml", `${LINT}full: 'true'\n`);
  expect((await stopAt(project)).result.gates[0]?.command).toBe("true");
});
