/** The commit for tools that compare with one (G33). */
import { describe, expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";

const CONFIG = "entry_points:\n  - path: src\n    checks: [since]\n";
/** Writes the base, its parents, and the names of the files that differ from it. */
const SINCE = `command: |
  cd ..
  { echo {base}; git log -1 --format=%P {base}; git diff --name-only {base} -- src; } >seen
  echo "$GAUNTLET_BASE $TURBO_SCM_BASE $NX_BASE" >variables
`;

const baseProject = restoring(async (check?: string) => {
  const project = await GauntletProject.create(CONFIG, { since: check ?? SINCE });
  await project.write(".git/info/exclude", "/seen\n/variables\n");
  return project;
});

async function seen(project: GauntletProject): Promise<string[]> {
  return (await project.read("seen")).trimEnd().split("\n");
}

async function refs(project: GauntletProject): Promise<string> {
  return await project.git("for-each-ref", "--format=%(objectname)", "refs/worktree");
}

describe("{base}", () => {
  test("is the commit of the comparison, also in the variables, and no commit is made for it", async () => {
    const project = await baseProject();
    await project.write("src/a.txt", "b\n");
    expect((await project.run()).status).toBe("passed");
    const [base, , ...files] = await seen(project);
    expect(base).toBe((await project.git("rev-parse", "main")).trim());
    expect(files).toEqual(["src/a.txt"]);
    expect(await project.read("variables")).toBe(`${base} ${base} ${base}\n`);
    // With --all as well, because no ancestor has the empty tree.
    expect((await project.run({ all: true })).status).toBe("passed");
    expect((await seen(project))[0]).toBe(base);
  });

  test("is a commit of the snapshot after a pass, with its HEAD as parent, held by a ref", async () => {
    const project = await baseProject();
    const head = (await project.git("rev-parse", "HEAD")).trim();
    await project.write("src/a.txt", "b\n");
    await project.run();
    const { baselines } = (await project.state()) as {
      baselines: Record<string, { snapshot: string }>;
    };
    await project.commit("more");
    await project.write("src/b.txt", "1\n");
    await project.shell("git add -N src/b.txt");
    const run = await project.run();
    expect(run.status).toBe("passed");
    const [base = "", parent, ...files] = await seen(project);
    expect([parent, files]).toEqual([head, ["src/b.txt"]]);
    const tree = (await project.git("rev-parse", `${base}^{tree}`)).trim();
    expect(tree).toBe(baselines["check:src:since"]?.snapshot);
    expect(await refs(project)).toContain(base);
    expect(run.gates[0]?.command).toContain(`echo ${base};`);
    // It is dropped with the snapshot.
    await project.write("src/b.txt", "2\n");
    await project.run();
    expect(await refs(project)).not.toContain(base);
  });

  test("the same snapshot has the same commit, and the cache depends on it (G21)", async () => {
    const project = await baseProject();
    await project.write("src/a.txt", "b\n");
    await project.run();
    await project.write("src/a.txt", "c\n");
    await project.run({ gates: ["since"] });
    const [first] = await seen(project);
    const { gates } = await project.run({ gates: ["since"] });
    expect(gates[0]).toMatchObject({
      outcome: "passed",
      cachedSince: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    });
    await project.remove("gauntlet_logs/.check_cache.json");
    await project.run({ gates: ["since"] });
    expect((await seen(project))[0]).toBe(first);
  });

  test("a failed check keeps its base, even if the comparison starts later (G20a)", async () => {
    const project = await baseProject(`${SINCE}  ! grep -q bad src/*.txt\n`);
    const main = (await project.git("rev-parse", "main")).trim();
    await project.write("src/b.txt", "bad\n");
    expect((await project.run()).status).toBe("failed");
    await project.commit("work");
    await project.shell("git branch -f main work");
    expect((await project.run()).status).toBe("failed");
    expect(await seen(project)).toEqual([main, "", "src/b.txt"]);
  });

  test("always has a common ancestor with HEAD, without which vitest would run no test", async () => {
    const project = await baseProject();
    const main = (await project.git("rev-parse", "main")).trim();
    await project.shell("git checkout -q --orphan new && git commit -qm new");
    await project.write("src/a.txt", "b\n");
    const run = await project.run();
    expect(run).toMatchObject({ status: "failed", gates: [{ outcome: "error" }] });
    expect(run.gates[0]?.message).toContain(`${main} and HEAD have no common ancestor`);
    await project.shell("git branch -qf main new && git switch -q -c next");
    expect((await project.run()).status).toBe("passed");
    await project.shell("git checkout -q --orphan empty && git branch -qD main");
    expect((await project.run()).gates[0]?.message).toContain("has no commit yet");
  });
});

describe("the variables", () => {
  test("are those of the check if it sets them, and are set for a tool that reads them", async () => {
    const project = await baseProject(
      'command: echo "$GAUNTLET_BASE $NX_BASE" >../variables # nx\nenv: { NX_BASE: mine }\n'
    );
    const main = (await project.git("rev-parse", "main")).trim();
    await project.write("src/a.txt", "b\n");
    await project.run();
    expect(await project.read("variables")).toBe(`${main} mine\n`);
  });

  test("are not set for a command that names none, and ${base} is a variable of the shell", async () => {
    const project = await baseProject(
      "command: env >../variables; base=x; echo ${base} >../seen\n"
    );
    await project.write("src/a.txt", "b\n");
    await project.run();
    await project.write("src/a.txt", "c\n");
    await project.run();
    expect(await project.read("variables")).not.toMatch(/GAUNTLET_BASE|TURBO_SCM_BASE|NX_BASE/);
    expect(await seen(project)).toEqual(["x"]);
  });
});
