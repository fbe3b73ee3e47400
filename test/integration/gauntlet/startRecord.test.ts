/** A record of the starting commit that cannot be read opens no gate (G20b). */
import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: "command: test ! -e bad\n" };
const START = ".git/refs/worktree/agent-gauntlet/start";

test("that is garbage", async () => {
  const project = await GauntletProject.create(CONFIG, CHECK);
  await project.git("switch", "--quiet", "main");
  expect((await stopAt(project)).result.status).toBe("no_changes");
  await project.write("src/bad", "x");
  await project.commit("bad");
  await project.write(START, "garbage");
  const { result } = await stopAt(project);
  expect(result.status).toBe("failed");
  expect(result.warnings).toContainEqual(expect.stringContaining("could not be read"));
  expect(await project.read(START)).toBe(await project.git("rev-parse", "HEAD"));
  // The gate stays open, and the warning is not repeated.
  const next = await stopAt(project);
  expect(next.result.status).toBe("failed");
  expect(next.result.warnings.join()).not.toContain("could not be read");
  await project.remove("src/bad");
  expect((await stopAt(project)).result.status).toBe("passed");
});
