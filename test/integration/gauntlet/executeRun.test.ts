import { describe, expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import { stopAt } from "@test/helpers/gauntlet/stops";

/** One check at `src`, which passes if `src/bad` does not exist. */
const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: "command: test ! -e bad || { echo bad is there; exit 3; }\n" };

const create = restoring(
  (config: string) => GauntletProject.create(config, CHECK),
  ({ dir }) => [dir]
);

async function brokenProject(more = ""): Promise<GauntletProject> {
  const project = await create(`${more}${CONFIG}`);
  await project.write("src/bad", "x");
  return project;
}

describe("the statuses of a run (G3)", () => {
  test("no_config: the project has no gauntlet", async () => {
    const project = await create(CONFIG);
    await project.remove(".gauntlet");
    expect(await project.run()).toMatchObject({ status: "no_config", gates: [] });
  });

  test("error: the configuration is invalid, and no gate runs", async () => {
    const project = await GauntletProject.create("entry_points: 3\n");
    const result = await project.run();
    expect(result).toMatchObject({ status: "error", gatesRun: 0 });
    expect(result.message).toContain(".gauntlet/config.yml:2:");
    expect(result.message).toContain("the changes were not verified");
    expect(await project.logs()).toEqual([]);
  });

  test("infrastructure_error: the branch of -b does not exist (G7)", async () => {
    const project = await create(CONFIG);
    const { status, message } = await project.run({ baseBranch: "nope" });
    expect(status).toBe("infrastructure_error");
    expect(message).toContain('there is no branch or commit "nope"');
  });

  test("infrastructure_error: the folder is not a repository", async () => {
    const project = await brokenProject();
    await project.remove(".git");
    const result = await project.run();
    expect(result.status).toBe("infrastructure_error");
    expect(result.message).toContain("is not in a git repository");
  });

  test("no_changes: the files equal the base", async () => {
    const project = await create(CONFIG);
    expect(await project.run()).toMatchObject({ status: "no_changes", message: "no changes" });
    expect(await project.logs()).toEqual([".execution_state"]);
  });

  test("no_applicable_gates: no gate matches the changes", async () => {
    const project = await create(CONFIG);
    await project.write("README.md", "x");
    expect(await project.run()).toMatchObject({ status: "no_applicable_gates", gatesRun: 0 });
  });

  test("passed: the logs move to previous/, and the result has their new paths (G15a, G18)", async () => {
    const project = await create(CONFIG);
    await project.write("src/new.txt", "x");
    const result = await project.run();
    expect(result).toMatchObject({ status: "passed", gatesRun: 1, gatesFailed: 0, attempt: 1 });
    expect(result.consoleLogPath).toBe(project.path("gauntlet_logs/previous/console.1.log"));
    expect(result.gates[0]?.logPath).toBe(
      project.path("gauntlet_logs/previous/check_src_ok.1.log")
    );
    expect(await project.logs("gauntlet_logs/previous")).toEqual([
      "check_src_ok.1.log",
      "console.1.log",
      "report.1.json",
    ]);
    expect(await project.read("gauntlet_logs/previous/console.1.log")).toMatch(
      /^\[START\] check:src:ok\n\[PASS\] {2}check:src:ok \(\d+\.\d\ds\)\n\nIteration 1:\nTotal: 0 fixed, 0 skipped, 0 failed\nStatus: Passed\n$/
    );
  });

  test("failed, then passed: the unresolved gate is reported as fixed", async () => {
    const project = await brokenProject();
    const failed = await project.run();
    expect(failed).toMatchObject({
      status: "failed",
      gatesFailed: 1,
      message: "1 of 1 gate failed: check:src:ok",
      gates: [{ outcome: "failed", message: "Exited with code 3" }],
    });
    expect(await project.read("gauntlet_logs/check_src_ok.1.log")).toContain("bad is there");
    await project.remove("src/bad");
    const passed = await project.run();
    expect(passed).toMatchObject({ status: "passed", fixed: ["check:src:ok"], attempt: 2 });
    expect(await project.state()).toMatchObject({ attempt: 0, open: [], status: "passed" });
  });
});

describe("an agent cannot bypass a gate (G20a)", () => {
  test("by doing nothing, which counts as an attempt, or by a commit", async () => {
    const project = await brokenProject();
    await project.run();
    expect(await project.run()).toMatchObject({ status: "failed", attempt: 2 });
    await project.commit("wip");
    expect(await project.run()).toMatchObject({ status: "failed", attempt: 3 });
  });

  test("by a partial run of another gate, which counts nothing and resolves nothing", async () => {
    const config = "entry_points:\n  - path: src\n    checks: [ok, other]\n";
    const project = await GauntletProject.create(config, { ...CHECK, other: "command: 'true'\n" });
    await project.write("src/bad", "x");
    await project.run();
    expect((await project.run({ gates: ["other"] })).status).toBe("no_applicable_gates");
    await project.write("src/more", "x");
    expect((await project.run({ gates: ["other"] })).status).toBe("passed");
    expect(await project.state()).toMatchObject({
      attempt: 1,
      open: ["check:src:ok"],
      partial: true,
    });
    expect((await project.run()).status).toBe("failed");
  });
});

describe("repeated runs", () => {
  test("run no gate if nothing changed since all passed, except without the cache (G7a, G21)", async () => {
    const project = await create(CONFIG);
    await project.write("src/new.txt", "x");
    await project.run();
    await project.commit("what has passed");
    expect((await project.run()).status).toBe("no_changes");
    const uncached = await project.run({ useCache: false });
    expect(uncached).toMatchObject({ status: "passed", gatesRun: 1 });
    expect(uncached.gates[0]?.cachedSince).toBeUndefined();
    await project.write("src/new.txt", "y");
    expect((await project.run()).status).toBe("passed");
  });

  test("do not run a check again if its inputs are the same as when it passed (G21)", async () => {
    const config = "entry_points:\n  - path: src\n    checks: [ok, count]\n";
    const project = await GauntletProject.create(config, {
      ...CHECK,
      count: "command: echo ran >> ../.git/count\ninputs: ['*.txt']\n",
    });
    await project.write("src/bad", "x");
    await project.run();
    await project.remove("src/bad");
    const result = await project.run();
    expect(result.gates.map(({ gate, cachedSince }) => [gate, typeof cachedSince])).toEqual([
      ["ok", "undefined"],
      ["count", "string"],
    ]);
    expect(await project.read(".git/count")).toBe("ran\n");
  });

  test("do not resolve a gate from the cache (G21)", async () => {
    const check = "command: test ! -e ../.git/bad\n";
    const project = await GauntletProject.create(CONFIG, { ok: check });
    await project.write("src/new.txt", "x");
    expect((await project.run()).status).toBe("passed");
    await project.write("src/new.txt", "y");
    await project.write(".git/bad", "");
    expect((await project.run()).status).toBe("failed");
    await project.write("src/new.txt", "x");
    expect((await project.run()).status).toBe("failed");
    await project.remove(".git/bad");
    expect((await project.run()).status).toBe("passed");
  });
});

test("a silent run leaves the working tree, the index and the stashes unchanged, writes its files and emits no events (G1, G9)", async () => {
  const project = await brokenProject();
  await project.git("add", "src/bad");
  await project.write("src/a.txt", "changed");
  const look = async (): Promise<string[]> => [
    await project.git("status", "--porcelain=v2"),
    await project.git("diff", "--cached"),
    await project.git("stash", "list"),
  ];
  const before = await look();
  await project.run({ silent: true });
  expect(await look()).toEqual(before);
  expect(project.events).toEqual([]);
  expect(await project.logs()).toContain("console.1.log");
});

test("a record of the starting commit that cannot be read opens no gate (G20b)", async () => {
  const start = ".git/refs/worktree/agent-gauntlet/start";
  const project = await create(CONFIG);
  await project.git("switch", "--quiet", "main");
  expect((await stopAt(project)).result.status).toBe("no_changes");
  await project.write("src/bad", "x");
  await project.commit("bad");
  await project.write(start, "garbage");
  const { result } = await stopAt(project);
  expect(result.status).toBe("failed");
  expect(result.warnings).toContainEqual(expect.stringContaining("could not be read"));
  expect(await project.read(start)).toBe(await project.git("rev-parse", "HEAD"));
  // The gate stays open, and the warning is not repeated.
  const next = await stopAt(project);
  expect(next.result.status).toBe("failed");
  expect(next.result.warnings.join()).not.toContain("could not be read");
  await project.remove("src/bad");
  expect((await stopAt(project)).result.status).toBe("passed");
});
