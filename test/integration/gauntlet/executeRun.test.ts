import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { brokenProject, CONFIG, create } from "@test/helpers/gauntlet/projects";
import { stopAt } from "@test/helpers/gauntlet/stops";

test("after a pass, the logs move to previous/, and the result has their new paths (G3, G15a, G18)", async () => {
  const project = await create(CONFIG);
  await project.write("src/new.txt", "x");
  const result = await project.run();
  expect(result).toMatchObject({ status: "passed", gatesRun: 1, gatesFailed: 0, attempt: 1 });
  expect(result.consoleLogPath).toBe(project.path("gauntlet_logs/previous/console.1.log"));
  expect(result.gates[0]?.logPath).toBe(project.path("gauntlet_logs/previous/check_src_ok.1.log"));
  expect(await project.logs("gauntlet_logs/previous")).toEqual([
    "check_src_ok.1.log",
    "console.1.log",
    "report.1.json",
  ]);
  expect(await project.read("gauntlet_logs/previous/console.1.log")).toMatch(
    /^\[START\] check:src:ok\n\[PASS\] {2}check:src:ok \(\d+\.\d\ds\)\n\nIteration 1:\nTotal: 0 fixed, 0 skipped, 0 failed\nStatus: Passed\n$/
  );
});

test("an agent cannot bypass a gate by doing nothing, which counts as an attempt, or by a commit (G20a)", async () => {
  const project = await brokenProject();
  await project.run();
  expect(await project.run()).toMatchObject({ status: "failed", attempt: 2 });
  await project.commit("wip");
  expect(await project.run()).toMatchObject({ status: "failed", attempt: 3 });
});

test("a pass from the cache does not resolve a gate (G21)", async () => {
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

/** Passes if `src/bad` does not exist, and prints nothing. */
const OK = "command: test ! -e bad\n";

async function failed(check = OK): Promise<GauntletProject> {
  const project = await GauntletProject.create(CONFIG, { ok: check });
  await project.write("src/bad", "x");
  expect((await project.run({ useCache: false })).status).toBe("failed");
  return project;
}

test("another base (-b) proves nothing for a plain run, and does not start the interval", async () => {
  const project = await GauntletProject.create(CONFIG, { ok: OK });
  await project.write("src/bad", "x");
  await project.commit("work");
  expect((await project.run({ baseBranch: "HEAD" })).status).toBe("no_changes");
  expect(await project.state()).toMatchObject({ partial: true, base_had_commit: true });
  expect((await project.run()).status).toBe("failed");
});

test("gates that do not run in CI are not verified by a run in CI, and stay unresolved, with their attempts", async () => {
  const project = await failed(`${OK}run_in_ci: false\n`);
  expect((await project.run({ env: { CI: "1" } })).status).toBe("no_applicable_gates");
  expect(await project.state()).toMatchObject({ attempt: 1, open: ["check:src:ok"] });
  expect(await project.run()).toMatchObject({ status: "failed", attempt: 2 });
});

test("two gates of the same name are two jobs at one folder, and both count (G10)", async () => {
  const project = await GauntletProject.create(`entry_points:
  - { path: "*", checks: [{ test: { command: exit 1 } }] }
  - { path: src, checks: [{ test: { command: "true" } }] }
`);
  await project.write("src/a.txt", "b\n");
  const { status, gates } = await project.run();
  expect(status).toBe("failed");
  expect(gates.map(({ jobId, outcome }) => [jobId, outcome])).toEqual([
    ["check:src:test", "failed"],
    ["check:src:test#2", "passed"],
  ]);
  expect(new Set(gates.map(({ logPath }) => logPath)).size).toBe(2);
  expect((await project.run()).gates.map(({ jobId }) => jobId)).toEqual(["check:src:test"]);
});

test("a gate has failed even if the state cannot be written (G3)", async () => {
  const state = "gauntlet_logs/.execution_state";
  const check = `command: mkdir -p ${state}/x; exit 1\nworking_directory: .\n`;
  const project = await GauntletProject.create(CONFIG, { ok: check });
  await project.write("src/a.txt", "b\n");
  const { status, warnings } = await project.run();
  expect(status).toBe("failed");
  expect(warnings).toEqual([expect.stringContaining(".execution_state")]);
});

test("a run that ends before its gates keeps the state (G16)", async () => {
  const project = await failed();
  expect((await project.run({ gates: ["none"] })).status).toBe("error");
  expect(await project.state()).toMatchObject({ status: "error", open: ["check:src:ok"] });
});

test("warnings of a run are in its result and its log (G7)", async () => {
  const project = await GauntletProject.create(CONFIG, { ok: OK });
  await project.git("branch", "--delete", "--force", "main");
  await project.write("src/bad", "x");
  const { warnings, consoleLogPath } = await project.run();
  expect(warnings).toEqual([expect.stringContaining("main")]);
  expect(consoleLogPath).toBe(project.path("gauntlet_logs/console.1.log"));
  expect(await project.read("gauntlet_logs/console.1.log")).toContain(`Warning: ${warnings[0]}`);
});
