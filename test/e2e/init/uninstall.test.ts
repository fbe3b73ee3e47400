/** What `uninstall` asks, and what stays (G29). */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sha256 } from "@/common/hash";
import { hashKey } from "@/node/services/gauntlet/turn/TurnStore";
import { InitProject, typing } from "@test/helpers/gauntlet/initProject";
import { names } from "@test/helpers/gauntlet/hostFiles";
import { restoring } from "@test/helpers/restoring";

const HOME_WIDE = "~/.codex/hooks.json";
const RECORD = ".git/agent-gauntlet/turns/a.json";

/** Answers each question when it is shown. */
const answering = (answer: "y" | "n") => typing("", "(y/n)", `${answer}\n`);

/** A project with a configuration, a hook of its own, a hook in the home, and the records of a run. */
const installed = restoring(async (): Promise<InitProject> => {
  const project = await InitProject.create();
  await project.init({ yes: true, try: false, hook: ["claude", "codex"] });
  project.write({ [RECORD]: "{}\n", ".git/agent-gauntlet/logs/check_lint.1.log": "log\n" });
  return project;
});

describe("uninstall without --yes (G29)", () => {
  test("leaves the hook of all projects and records without a terminal, and asks about them in one", async () => {
    const project = await installed();
    const { stdout } = await project.uninstall({ yes: false });
    expect(stdout).toMatch(/\.codex\/hooks\.json stays, because .*; to remove it, add --yes/);
    expect(stdout).toContain(
      "The logs and records stay: .git/agent-gauntlet; to remove them, add --yes."
    );
    expect(existsSync(project.at(".claude/settings.local.json"))).toBe(false);
    const asked = await project.uninstall({ yes: false }, answering("n"));
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(asked.stdout).toContain(`The hook in ${HOME_WIDE} serves all your projects. Remove it?`);
    expect(asked.stdout).toContain(`The hook in ${HOME_WIDE} stays`);
    expect(asked.stdout).toContain(".gauntlet stays, because it may be of a team");
    expect(asked.stdout).toContain("The logs and records stay: ");
    expect(existsSync(project.at(RECORD))).toBe(true);
    expect(names(project).includes(HOME_WIDE)).toBe(true);

    const agreed = await project.uninstall({ yes: false }, answering("y"));
    expect(agreed.stdout).toContain("Removed ");
    expect(existsSync(project.at(".git/agent-gauntlet"))).toBe(false);
    expect(existsSync(project.at(".gauntlet/config.yml"))).toBe(true);
    expect(names(project).includes(HOME_WIDE)).toBe(false);
  });

  test("removes only the records of its own project from a repository with several (G18a)", async () => {
    const project = await InitProject.create();
    const inGit = (name: string) => `.git/agent-gauntlet/${name}`;
    const logsOf = (dir: string) => inGit(`logs-${sha256(dir, 12)}/console.1.log`);
    const pauseOf = (dir: string) => inGit(`pauses/${hashKey(project.at(dir))}.json`);
    for (const dir of ["a", "b"]) {
      project.write({ [`${dir}/.gauntlet/config.yml`]: "entry_points: []\n" });
      project.write({ [logsOf(dir)]: "log\n", [pauseOf(dir)]: "{}\n" });
    }
    await project.uninstall({}, { cwd: project.at("a") });
    const left = ["a", "b"].map((dir) =>
      [logsOf(dir), pauseOf(dir)].map((at) => existsSync(project.at(at)))
    );
    expect(left).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test("keeps a folder of logs in the project, which may have other files", async () => {
    const project = await installed();
    const config = project.read(".gauntlet/config.yml");
    project.write({ ".gauntlet/config.yml": `log_dir: src\n${config}`, "src/mine.txt": "mine" });
    const { stdout } = await project.uninstall({ yes: true });
    expect(stdout).toContain("src stays, because it may have other files");
    expect(project.read("src/mine.txt")).toBe("mine");
  });
});
