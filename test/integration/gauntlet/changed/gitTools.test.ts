/** Checks that look at git's index or at commits (G32, G7a). */
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - { path: src, checks: [hooks] }\n";

test("a manager of git hooks sees untracked files, and git's own index does not change (G32)", async () => {
  const project = await GauntletProject.create(CONFIG, {
    hooks: "command: ../bin/pre-commit run --all-files\n",
  });
  // As pre-commit does it: tracked files, and a second look at what its hooks changed.
  await project.script(
    "bin/pre-commit",
    'git diff --no-ext-diff --quiet || { echo "not refreshed"; exit 3; }\n! git ls-files -z | xargs -0 grep -l BAD'
  );
  await project.git("add", "bin");
  await project.shell("printf '/gauntlet_logs/\\n' >.git/info/exclude; git commit -qm tool");
  await project.write("src/new.txt", "BAD\n");
  const { result } = await stopAt(project);
  expect(result.status).toBe("failed");
  expect(await project.git("ls-files", "src")).toBe("src/a.txt\n");
  const left = (await readdir(project.path(".git"))).filter((name) => name.includes("index."));
  expect(left.filter((name) => !name.includes("index.kept."))).toEqual([]);
  await project.write("src/new.txt", "good\n");
  expect((await stopAt(project)).result.status).toBe("passed");
  await project.write("src/a.txt", "BAD, not staged\n");
  expect((await stopAt(project)).result.status).toBe("failed");
});

test("one that a script of the project starts does as well (G32)", async () => {
  const project = await GauntletProject.create(CONFIG, { hooks: "command: npm run lint\n" });
  await project.script("bin/lint-staged", "! git ls-files -z | xargs -0 grep -l BAD");
  const scripts = { lint: "npm run staged", staged: "../bin/lint-staged" };
  await project.write("src/package.json", JSON.stringify({ scripts }));
  await project.commit("tool");
  await project.write("src/new.txt", "BAD\n");
  expect((await stopAt(project)).result.status).toBe("failed");
});

test("a check with reads: history is due again if only a commit was made (G7a)", async () => {
  const project = await GauntletProject.create(CONFIG, {
    hooks: "command: '! git log --format=%s main.. | grep -x WIP'\nreads: history\n",
  });
  await project.shell("printf '/gauntlet_logs/\\n' >.git/info/exclude");
  await project.write("src/new.txt", "new\n");
  expect((await stopAt(project)).result.status).toBe("passed");
  expect((await stopAt(project)).result.status).toBe("no_changes");
  await project.commit("WIP");
  expect((await stopAt(project)).result.status).toBe("failed");
  await project.shell("git commit -q --amend -m 'feat: new'");
  expect((await stopAt(project)).result.status).toBe("passed");
  expect((await stopAt(project)).result.status).toBe("no_changes");
});

test("a check without it is not (G7a)", async () => {
  const project = await GauntletProject.create(CONFIG, {
    hooks: "command: '! git log --format=%s main.. | grep -x WIP'\n",
  });
  await project.shell("printf '/gauntlet_logs/\\n' >.git/info/exclude");
  await project.write("src/new.txt", "new\n");
  expect((await stopAt(project)).result.status).toBe("passed");
  await project.commit("WIP");
  expect((await stopAt(project)).result.status).toBe("no_changes");
});
