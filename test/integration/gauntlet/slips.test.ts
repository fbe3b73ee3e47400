/** Attempts to bypass a gate, none of which succeeds (G20a). */
import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
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
