/** Files that came from the base branch with commits of others are in no list (G32). */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { ReviewProject } from "@test/helpers/gauntlet/reviewProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { restoring } from "@test/helpers/restoring";

const CONFIG = "entry_points:\n  - { path: ., exclude: [/.gauntlet], checks: [lint] }\n";
const LINT = "command: '! grep -l BAD {files}'\nfiles: ['**/*.txt']\n";

/** Adds a commit of another person to `main` of the remote, as a fetch does. */
const THEIRS = `blob=$(echo BAD | git hash-object -w --stdin)
tree=$({ git ls-tree origin/main; printf '100644 blob %s\\ttheirs.txt\\n' "$blob"; } | git mktree)
git update-ref refs/remotes/origin/main "$(git commit-tree -p origin/main -m theirs "$tree")"`;

/** A remote whose branch `main` follows. */
const REMOTE = `[remote "origin"]
  url = /nowhere
  fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
  remote = origin
  merge = refs/heads/main
`;

/** Commits a file, has it checked by a stop, after which others push to `main`. */
async function publish(project: GauntletProject, branch = "work", status = "passed") {
  await project.write("mine.txt", "good\n");
  await project.write(".git/config", `${await project.read(".git/config")}${REMOTE}`);
  await project.shell(
    `git update-ref refs/remotes/origin/main main && git switch -q ${branch} && git add . && git commit -qm mine`
  );
  expect(await stopped(project)).toBe(status);
  await project.shell(THEIRS);
  return project;
}

const passedProject = restoring(async (branch?: string) =>
  publish(await GauntletProject.create(CONFIG, { lint: LINT }), branch)
);

const stopped = async (project: GauntletProject) => (await stopAt(project)).result.status;

describe("others' failing file", () => {
  test.each([
    ["a merge", "work", "git merge -q --no-edit origin/main"],
    [
      "a merge that a commit ends",
      "work",
      "git merge -q --no-commit origin/main && git commit -qm merge",
    ],
    ["a rebase", "work", "git rebase -q origin/main"],
    [
      "a checkout of the base and back",
      "work",
      "git switch -q main && git merge -q origin/main && git switch -q work && git merge -q --no-edit main",
    ],
    ["a rebase on the base branch", "main", "git rebase -q origin/main"],
    ["a merge on the base branch", "main", "git merge -q --no-edit origin/main"],
  ])("does not block after %s", async (_name, branch, line) => {
    const project = await passedProject(branch);
    await project.shell(line);
    expect(await project.read("theirs.txt")).toBe("BAD\n");
    expect(await stopped(project)).toBe("no_applicable_gates");
  });

  test.each(["passed", "failed"])("is not shown to a review that %s", async (status) => {
    const reviewed = await ReviewProject.create({ path: "." });
    const violation = { file: "mine.txt", issue: "is wrong" };
    await reviewed.answers(0, status === "failed" ? [violation] : []);
    const project = await publish(reviewed.project, "work", status);
    await project.shell("git merge -q --no-edit origin/main");
    // That a review sees a file of others that the agent changed is proved once.
    for (const name of status === "failed" ? ["mine.txt", "theirs.txt"] : ["mine.txt"]) {
      await project.write(name, "more\n");
      expect(await stopped(project)).toBe(status);
      expect((await reviewed.prompts()).at(-1)?.includes("theirs.txt")).toBe(name !== "mine.txt");
    }
  });

  test("blocks once the agent changed it", async () => {
    const project = await passedProject();
    await project.shell("git merge -q --no-edit origin/main");
    await project.write("theirs.txt", "BAD and more\n");
    expect(await stopped(project)).toBe("failed");
    await project.shell("git commit -qam edited");
    expect(await stopped(project)).toBe("failed");
  });

  test("does not resolve a gate that fails for a file of the agent", async () => {
    const project = await passedProject();
    await project.write("mine.txt", "BAD\n");
    expect(await stopped(project)).toBe("failed");
    await project.shell("git commit -qam bad && git merge -q --no-edit origin/main");
    const { result } = await stopAt(project);
    expect(result.status).toBe("failed");
    expect(await readFile(result.gates[0]!.logPath!, "utf8")).not.toContain("theirs.txt");
    await project.write("mine.txt", "good again\n");
    expect(await stopped(project)).toBe("passed");
  });
});

describe("the agent's failing file blocks, although it is on the base branch", () => {
  test.each([
    ["branch -f", "git branch -f main"],
    ["a push", "git update-ref refs/remotes/origin/main HEAD"],
    [
      "a merge there and back",
      "git switch -q main && git merge -q --no-edit work && git switch -q work && git merge -q main",
    ],
    ["a merge there, on it", "git switch -q main && git merge -q --no-edit work"],
  ])("by %s", async (_name, line) => {
    const project = await passedProject();
    await project.write("bad.txt", "BAD\n");
    await project.shell(
      `git add . && git commit -qm bad && git merge -q --no-edit origin/main && ${line}`
    );
    expect(await stopped(project)).toBe("failed");
  });

  test("by a squashed copy of its commit", async () => {
    const project = await passedProject();
    await project.write("bad.txt", "BAD\n");
    await project.shell(
      "git add . && git commit -qm bad && git switch -qd origin/main && git merge -q --squash work && git commit -qm squashed && git update-ref refs/remotes/origin/main HEAD && git switch -q work && git merge -q --no-edit origin/main"
    );
    expect(await stopped(project)).toBe("failed");
  });

  test("by a conflict that it resolved, unless it took their version", async () => {
    for (const [resolve, status] of [
      ["echo 'BAD, and mine' >theirs.txt", "failed"],
      ["git checkout -q --theirs theirs.txt", "no_applicable_gates"],
    ] as const) {
      const project = await passedProject();
      await project.write("theirs.txt", "mine\n");
      await project.shell("git add . && git commit -qm conflict");
      expect(await stopped(project)).toBe("passed");
      await project.shell(
        `git merge -q origin/main || ${resolve} && git add . && git commit -qm resolved`
      );
      expect(await stopped(project)).toBe(status);
    }
  });

  test("by a file that it adds to a merge, also to one that a commit ends", async () => {
    for (const end of [
      "git merge -q --no-commit origin/main",
      "git merge -q --no-edit origin/main",
    ]) {
      const project = await passedProject();
      await project.shell(end);
      await project.write("bad.txt", "BAD\n");
      const commit = end.includes("no-commit")
        ? "git commit -qm merge"
        : "git commit -q --amend --no-edit";
      await project.shell(`git add . && ${commit} && git update-ref refs/remotes/origin/main HEAD`);
      expect(await stopped(project)).toBe("failed");
    }
  });

  test("by a reset to an older commit of its own", async () => {
    const project = await passedProject("main");
    await project.write("mine.txt", "BAD\n");
    await project.shell("git commit -qam bad");
    await project.write("mine.txt", "good again\n");
    await project.shell("git commit -qam good");
    expect(await stopped(project)).toBe("passed");
    await project.shell("git reset -q --hard HEAD~1");
    expect(await stopped(project)).toBe("failed");
  });
});
