/** A record of the starting commit that cannot be read opens no gate (G20b). */
import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: "command: test ! -e bad\n" };
const START = ".git/refs/worktree/agent-gauntlet/start";

test.each([
  ["empty", ""],
  ["garbage", "garbage"],
  ["binary", "\u0000\u0001\n"],
  ["zero", `${"0".repeat(40)}\n`],
  ["a commit that git does not have", `${"1234567890".repeat(4)}\n`],
  ["a file", undefined],
])("that is %s", async (_, text) => {
  const project = await GauntletProject.create(CONFIG, CHECK);
  await project.git("switch", "--quiet", "main");
  expect((await stopAt(project)).result.status).toBe("no_changes");
  await project.write("src/bad", "x");
  await project.commit("bad");
  const content = text ?? (await project.git("rev-parse", "HEAD:src/bad"));
  await project.write(START, content);
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
