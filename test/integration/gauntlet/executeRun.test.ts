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
