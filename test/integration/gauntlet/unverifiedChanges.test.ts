/** Changes that a stop did not verify are told to the user (G20d). */
import { describe, expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { ReviewProject } from "@test/helpers/gauntlet/reviewProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { beginTurn } from "@test/helpers/gauntlet/projects";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
/** Fails if any file at `src` contains BAD. */
const CHECK = { ok: 'command: "! grep -rq BAD ."\n' };

test("a changed or removed gate is reported with its old and new command (G20d)", async () => {
  const project = await GauntletProject.create(
    "entry_points:\n  - path: src\n    checks: [ok, other]\n",
    { ...CHECK, other: "command: exit 0\n" }
  );
  await project.write("src/b.txt", "fine\n");
  expect((await stopAt(project)).personMessage).toBeUndefined();
  await project.write(".gauntlet/checks/ok.yml", "command: 'true'\n");
  await project.write(".gauntlet/config.yml", `base_branch: main\n${CONFIG}`);
  await project.run();
  // An interrupted stop shows nothing.
  const abort = new AbortController();
  const listener = (): void => {
    abort.abort();
  };
  await stopAt(project, { signal: abort.signal, listener });
  const { personMessage } = await stopAt(project);
  expect(personMessage).toContain(
    "check:src:ok was changed in the configuration; it was: ! grep -rq BAD .; it is now: true"
  );
  expect(personMessage).toContain("check:src:other was removed from the configuration");
  expect((await stopAt(project)).personMessage).toBeUndefined();
});

test("a gate that changed since turn-start is reported, regardless of runs in between (G20d)", async () => {
  const project = await GauntletProject.create(CONFIG, CHECK);
  const turn = { sessionId: "s" };
  const start = () => beginTurn(project, turn);
  await start();
  await project.write("src/b.txt", "fine\n");
  await project.write(".gauntlet/checks/ok.yml", "command: 'true'\n");
  // This session has no run yet, and the last run of the other one had the same definition.
  await stopAt(project, { sessionId: "t" });
  const { personMessage } = await stopAt(project, turn);
  expect(personMessage).toContain(
    "check:src:ok was changed in the configuration; it was: ! grep -rq BAD .; it is now: true"
  );
  await start();
  expect((await stopAt(project, turn)).personMessage).toBeUndefined();
  await project.write(".gauntlet/checks/ok.yml", "command: exit 0\n");
  expect((await stopAt(project, turn)).personMessage).toContain("it was: true; it is now: exit 0");
});

test("a configuration that is too large to record is compared with the last run (G20d)", async () => {
  const project = await GauntletProject.create(CONFIG, CHECK);
  for (let i = 0; i < 5; i++) {
    await project.write(`.gauntlet/reviews/r${i}.md`, `Read it. ${"x".repeat(60_000)}\n`);
  }
  await beginTurn(project);
  await stopAt(project);
  await project.write(".gauntlet/checks/ok.yml", "command: 'true'\n");
  expect((await stopAt(project)).personMessage).toContain("it is now: true");
});

describe("a nested repository with uncommitted changes (G20d)", () => {
  const nest = async (project: GauntletProject): Promise<void> => {
    await project.git("init", "--quiet", "src/sub");
    await project.write("src/sub/x.txt", "x\n");
    await project.git("-C", "src/sub", "add", "--all");
    await project.git("-C", "src/sub", "commit", "--quiet", "--message", "x");
  };
  const named = expect.stringContaining(
    "the nested repository src/sub has uncommitted changes, which were not checked"
  ) as string;

  test("is reported once a session, and again if it changes (G20d)", async () => {
    const project = await GauntletProject.create(CONFIG, CHECK);
    await nest(project);
    const first = await stopAt(project, { sessionId: "s" });
    expect(first.result.status).toBe("passed");
    expect(first.personMessage).toBeUndefined();
    await project.write("src/sub/x.txt", "y\n");
    const { result, personMessage } = await stopAt(project, { sessionId: "s" });
    expect(result.status).toBe("no_changes");
    expect(personMessage).toEqual(named);
    expect((await stopAt(project, { sessionId: "s" })).personMessage).toBeUndefined();
    expect((await stopAt(project, { sessionId: "t" })).personMessage).toEqual(named);
    await project.git("-C", "src/sub", "commit", "--quiet", "--all", "--message", "y");
    expect((await stopAt(project, { sessionId: "s" })).personMessage).toBeUndefined();
    await project.write("src/sub/x.txt", "z\n");
    expect((await stopAt(project, { sessionId: "s" })).personMessage).toEqual(named);
  });

  test("is found as a submodule that the base already has, and beside one without a commit (G20d)", async () => {
    const project = await GauntletProject.create(CONFIG, CHECK);
    await nest(project);
    await project.write(".gitmodules", '[submodule "sub"]\n\tpath = src/sub\n\turl = ./sub\n');
    await project.commit("with a submodule");
    await project.git("branch", "--force", "main", "HEAD");
    await project.write("src/sub/x.txt", "y\n");
    await project.write("src/b.txt", "fine\n");
    await project.git("init", "--quiet", "src/empty");
    const { personMessage } = await stopAt(project);
    expect(personMessage).toEqual(named);
    expect(personMessage).toContain(
      "the nested repository src/empty has no commit, so its files are not checked"
    );
  });
});

test("a file that a reviewer saw only in part, or by its name, is reported to the user (G12a, G20d)", async () => {
  const { project } = await ReviewProject.create();
  await project.write("src/large.txt", "a line of a large file\n".repeat(20_000));
  await project.write("src/nul.ts", "evil();\0\n");
  await project.write("src/a.png", "\0");
  await project.write("src/a.txt", "fine\n");
  const { result, personMessage } = await stopAt(project);
  expect(result.status).toBe("passed");
  expect(personMessage).toMatch(
    /no reviewer saw in full, because of their size or a NUL byte: src\/large\.txt, src\/nul\.ts$/m
  );
  await project.write("src/a.txt", "fine too\n");
  expect((await stopAt(project)).personMessage).toBeUndefined();
});
