import { describe, expect, test } from "vitest";
import {
  findBaseBranch,
  isInRepository,
  notIgnored,
} from "@/node/services/gauntlet/change/git/repositoryFacts";
import { GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";

describe("findBaseBranch", () => {
  test.each<[string, string | undefined, (project: GitProject) => void]>([
    [
      "the remote's default branch",
      "origin/trunk",
      (project) => {
        project.git("update-ref", "refs/remotes/origin/trunk", "HEAD");
        project.git("update-ref", "refs/remotes/origin/main", "HEAD");
        project.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
      },
    ],
    [
      "nothing for the remote's main, which a run finds by itself",
      undefined,
      (project) => {
        project.git("update-ref", "refs/remotes/origin/main", "HEAD");
        project.git("update-ref", "refs/remotes/origin/master", "HEAD");
      },
    ],
    [
      "nothing for a local master beside another branch",
      undefined,
      (project) => {
        project.git("branch", "--move", "master");
        project.git("switch", "--quiet", "--create", "work");
      },
    ],
    ["the checked-out branch", "trunk", (project) => void project.git("branch", "--move", "trunk")],
    [
      "nothing if HEAD is detached",
      undefined,
      (project) => {
        project.git("branch", "--move", "trunk");
        project.git("checkout", "--quiet", "--detach");
      },
    ],
  ])("returns %s", async (_, expected, arrange) => {
    const project = await GitProject.create();
    arrange(project);
    expect(await findBaseBranch(project.runtime, project.dir)).toBe(expected);
  });

  test("returns the branch of a repository without a commit, and undefined outside one", async () => {
    const project = await GitProject.create({});
    expect(await findBaseBranch(project.runtime, project.dir)).toBe("main");
    expect(await findBaseBranch(project.runtime, await tempDir())).toBeUndefined();
  });
});

test("isInRepository returns whether the folder belongs to a repository", async () => {
  const project = await GitProject.create({ "src/a.txt": "a\n" });
  expect(await isInRepository(project.runtime, project.at("src"))).toBe(true);
  expect(await isInRepository(project.runtime, await tempDir())).toBe(false);
});

describe("notIgnored", () => {
  test("returns the paths that git does not ignore", async () => {
    const project = await GitProject.create({ ".gitignore": "*.log\n" });
    const paths = ["a.log", "b.txt", "c.log"];
    expect(await notIgnored(project.runtime, project.dir, paths)).toEqual(["b.txt"]);
    expect(await notIgnored(project.runtime, project.dir, ["b.txt"])).toEqual(["b.txt"]);
  });

  test("returns none outside a repository", async () => {
    const project = await GitProject.create();
    expect(await notIgnored(project.runtime, await tempDir(), ["b.txt"])).toEqual([]);
  });
});
