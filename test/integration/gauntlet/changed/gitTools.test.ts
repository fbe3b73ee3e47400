/** Checks that look at git's index or at commits (G32, G7a). */
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - { path: src, checks: [hooks] }\n";

test("a manager of git hooks sees untracked files, and git's own index does not change (G32)", async () => {
  const project = await GauntletProject.create(CONFIG, { hooks: "command: make lint\n" });
  // Also if a script of the project starts it.
  await project.write("src/Makefile", "lint: ; @../bin/pre-commit run --all-files\n");
  // As pre-commit does it: tracked files, and a second look at what its hooks changed.
  await project.script(
    "bin/pre-commit",
    'git diff --no-ext-diff --quiet || { echo "not refreshed"; exit 3; }\n! git ls-files -z | xargs -0 grep -l BAD'
  );
  await project.git("add", "bin", "src");
  await project.shell("printf '/gauntlet_logs/\\n' >.git/info/exclude; git commit -qm tool");
  await project.write("src/new.txt", "BAD\n");
  const { result } = await stopAt(project);
  expect(result.status).toBe("failed");
  expect(await project.git("ls-files", "src")).toBe("src/Makefile\nsrc/a.txt\n");
  const left = (await readdir(project.path(".git"))).filter((name) => name.includes("index."));
  expect(left.filter((name) => !name.includes("index.kept."))).toEqual([]);
  await project.write("src/new.txt", "good\n");
  expect((await stopAt(project)).result.status).toBe("passed");
  await project.write("src/a.txt", "BAD, not staged\n");
  expect((await stopAt(project)).result.status).toBe("failed");
});

test("only a check with reads: history is due again if only a commit was made (G7a)", async () => {
  const command = "command: '! git log --format=%s main.. | grep -x WIP'\n";
  const config = CONFIG.replace("[hooks]", "[hooks, other]");
  const checks = { hooks: `${command}reads: history\n`, other: command };
  const project = await GauntletProject.create(config, checks);
  await project.shell("printf '/gauntlet_logs/\\n' >.git/info/exclude");
  await project.write("src/new.txt", "new\n");
  expect((await stopAt(project)).result.status).toBe("passed");
  expect((await stopAt(project)).result.status).toBe("no_changes");
  await project.commit("WIP");
  const { result } = await stopAt(project);
  expect(result.status).toBe("failed");
  expect(result.gates.map(({ gate }) => gate)).toEqual(["hooks"]);
  await project.shell("git commit -q --amend -m 'feat: new'");
  expect((await stopAt(project)).result.status).toBe("passed");
  expect((await stopAt(project)).result.status).toBe("no_changes");
});
