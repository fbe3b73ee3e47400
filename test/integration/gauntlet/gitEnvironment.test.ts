import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";

test("git calls run no program of a bare repository in a clone (H20a)", async () => {
  const project = await GauntletProject.create("entry_points:\n- path: .\n  checks: []\n");
  const marker = join(await tempDir(), "ran");
  await project.write("sub/.gauntlet/config.yml", "entry_points:\n- path: .\n  checks: []\n");
  await project.write("sub/a.txt", "a\n");
  await project.shell("git init --quiet --bare sub && git -C sub config core.bare false");
  await project.shell(
    `git -C sub config core.worktree . && git -C sub config filter.spy.clean "touch '${marker}'; cat"`
  );
  await project.write("sub/info/attributes", "* filter=spy\n");
  for (const command of ["detect", "run", "status", "stop-hook"]) {
    await agentGauntlet(project, [command], { cwd: project.path("sub") });
  }
  expect(existsSync(marker)).toBe(false);
});

test("git calls work in a linked worktree of a bare repository", async () => {
  const project = await GauntletProject.create("entry_points:\n- path: .\n  checks: []\n");
  const folder = await tempDir();
  const lines = [
    `git clone --quiet --bare . '${folder}/bare'`,
    `git -C '${folder}/bare' worktree add --quiet '${folder}/tree' main`,
    `echo x > '${folder}/tree/new.txt'`,
  ];
  await project.shell(lines.join(" && "));
  const { stdout } = await agentGauntlet({ dir: join(folder, "tree") }, ["detect"]);
  expect(stdout).toContain("  - new.txt");
});

test("git calls run no program that the environment names (H20a)", async () => {
  const project = await GauntletProject.create("entry_points:\n- path: .\n  checks: []\n");
  await project.write(".gitattributes", "* filter=spy\n");
  await project.write("src/a.txt", "changed\n");
  const marker = join(await tempDir(), "ran");
  const startup = join(project.dir, "startup.sh");
  await project.write("startup.sh", `touch '${marker}'\n`);
  const env = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "filter.spy.clean",
    GIT_CONFIG_VALUE_0: `touch '${marker}'; cat`,
    GIT_CONFIG_PARAMETERS: `'filter.spy.clean'='touch ${marker}; cat'`,
    BASH_ENV: startup,
    ENV: startup,
  };
  const { stdout } = await agentGauntlet(project, ["detect"], { env });
  expect(stdout).toContain("  - src/a.txt");
  expect(existsSync(marker)).toBe(false);
});

test("git calls run no program that the configuration of a repository names, except filters (H20a)", async () => {
  const project = await GauntletProject.create("entry_points:\n  - path: src\n    checks: [ok]\n", {
    ok: "command: exit 0\n",
  });
  const trap = (name: string): string => `echo ${name} >> ${project.path(".git/traps")}`;
  await project.script(".git/own-hooks/post-index-change", trap("hook"));
  await project.script(".git/own-hooks/reference-transaction", trap("hook"));
  const settings = {
    "core.hooksPath": project.path(".git/own-hooks"),
    "core.fsmonitor": trap("fsmonitor"),
    "core.pager": trap("pager"),
    "core.askPass": trap("askPass"),
    "diff.external": trap("external"),
    "diff.text.textconv": trap("textconv"),
    "filter.own.clean": `${trap("filter")}; cat`,
  };
  for (const [name, value] of Object.entries(settings)) await project.git("config", name, value);
  await project.write(".gitattributes", "*.txt diff=text\n*.own filter=own\n");
  await project.write("src/new.txt", "x\n");
  await project.write("src/a.txt", "b\n");
  expect((await project.run()).status).toBe("passed");
  expect(await project.read(".git/traps").catch(() => "")).toBe("");
  await project.write("src/b.own", "x\n");
  await project.run();
  expect(new Set((await project.read(".git/traps")).trim().split("\n"))).toEqual(
    new Set(["filter"])
  );
});
