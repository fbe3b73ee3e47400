import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { posix } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { TemporaryIndex } from "@/node/services/gauntlet/change/snapshot/TemporaryIndex";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { gitEnv, GitProject } from "@test/helpers/gitProject";

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;

let project: GitProject;
beforeEach(async () => {
  project = await GitProject.create({ "a.txt": "a\n" });
});

async function open(context?: GitContext): Promise<TemporaryIndex> {
  return await TemporaryIndex.open(project.runtime, context ?? (await openMain(project)), NOW);
}

/** Returns the names of our files in git's folder. */
function ours(): string[] {
  return readdirSync(project.at(".git")).filter((name) => name.startsWith("agent-gauntlet-index."));
}

/** Runs git with the temporary index, and returns what it printed. */
async function gitIn({ path }: TemporaryIndex, ...args: string[]): Promise<string> {
  const call = { cwd: project.dir, args, env: { GIT_INDEX_FILE: path } };
  return (await runGit(project.runtime, call))._unsafeUnwrap().trimEnd();
}

describe("a copy of the user's index (G9)", () => {
  test("has its content and its time, and leaves it unchanged", async () => {
    const person = project.at(".git/index");
    utimesSync(person, 1_600_000_000, 1_600_000_000);
    const before = readFileSync(person);
    const index = await open();
    (await index.copy())._unsafeUnwrap();
    expect(readFileSync(index.path)).toEqual(before);
    expect(statSync(index.path).mtimeMs).toBe(statSync(person).mtimeMs);

    project.write({ "new.txt": "new" });
    await gitIn(index, "add", "--all");
    expect(await gitIn(index, "ls-files")).toBe("a.txt\nnew.txt");
    expect(readFileSync(person)).toEqual(before);
  });

  test("is removed with the lock of a git that was killed", async () => {
    const index = await open();
    (await index.copy())._unsafeUnwrap();
    project.write({ [`.git/${ours()[0]}.lock`]: "" });
    expect(ours()).toHaveLength(2);
    await index.remove();
    expect(ours()).toEqual([]);
    await index.remove();
  });

  test("that cannot be made fails with the path of the index", async () => {
    const context = await openMain(project);
    rmSync(project.at(".git/index"));
    mkdirSync(project.at(".git/index"));
    const failure = (await (await open(context)).copy())._unsafeUnwrapErr();
    expect(failure.reason).toBe("failed");
    expect(failure.message).toContain(
      `the git index ${project.at(".git/index")} could not be copied`
    );
  });
});

describe("an index that is saved for the next snapshot", () => {
  /** Saves an index with the tree of HEAD, and returns that tree. */
  async function save(): Promise<string> {
    const index = await open();
    (await index.copy())._unsafeUnwrap();
    const tree = await gitIn(index, "write-tree");
    await index.saveForNext(tree);
    await index.remove();
    return tree;
  }

  test("is used again by only one run", async () => {
    const tree = await save();
    expect(ours()).toEqual([expect.stringMatching(new RegExp(String.raw`\.kept\..*\.${tree}$`))]);
    const [first, second] = [await open(), await open()];
    expect(await first.reuse()).toEqual({ tree, large: new Map() });
    expect(await gitIn(first, "ls-files")).toBe("a.txt");
    expect(await second.reuse()).toBeUndefined();
    await first.remove();
    await second.remove();
    expect(ours()).toEqual([]);
  });

  test.each([
    ["the user's index", "git rm --quiet --cached a.txt"],
    ["the repository's configuration", "git config core.autocrlf input"],
    ["the ignore rules", "echo '*.log' >> .git/info/exclude"],
    ["the attributes", "echo '* text' > .git/info/attributes"],
    ["the sparse checkout", "echo '/*' > .git/info/sparse-checkout"],
  ])("is not used after %s changed (G9)", async (_, command) => {
    await save();
    execFileSync("sh", ["-c", command], { cwd: project.dir, env: gitEnv() });
    expect(await (await open()).reuse()).toBeUndefined();
  });

  test("replaces the previous index, and a lock", async () => {
    await save();
    const [before] = ours();
    project.write({ "b.txt": "b" });
    project.git("add", "b.txt");
    const index = await open();
    (await index.copy())._unsafeUnwrap();
    const tree = await gitIn(index, "write-tree");
    project.write({ [`.git/${posix.basename(index.path)}.lock`]: "" });
    expect(ours()).toHaveLength(3);
    await index.saveForNext(tree);
    expect(ours()).toEqual([expect.stringMatching(new RegExp(`${tree}$`))]);
    expect(ours()).not.toEqual([before]);
  });
});

test("open removes the files of runs that were killed over an hour ago, and no other file", async () => {
  const name = (minutes: number): string => `agent-gauntlet-index.${NOW - minutes * MINUTE}.x`;
  const kept = "agent-gauntlet-index.kept.origin.tree";
  const names = [name(61), `${name(61)}.lock`, name(59), kept, `other.${name(61)}`];
  project.write(Object.fromEntries(names.map((file) => [`.git/${file}`, ""])));
  await open();
  expect(ours().toSorted()).toEqual([name(59), kept].toSorted());
  expect(readdirSync(project.at(".git"))).toContain(`other.${name(61)}`);
});
