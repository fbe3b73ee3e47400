import { describe, expect, test } from "vitest";
import { describeNested, submodulePaths } from "@/node/services/gauntlet/run/plan/planRun";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { countGit, GitProject } from "@test/helpers/gitProject";

const project = await GitProject.create();

/** Makes a repository with one commit in a folder of the project. */
function nest(folder: string): void {
  new GitProject(project.at(folder)).begin({ "inner.txt": "1" });
}

describe("submodulePaths (G20d)", () => {
  test("returns the paths of .gitmodules, relative to the project, and none without that file", async () => {
    const place = { root: project.dir, projectDir: project.dir };
    expect(await submodulePaths(project.runtime, place)).toEqual([]);
    const text =
      '[submodule "a"]\n\tpath = lib/a\n\turl = ../a\n[submodule "b"]\n  path=app/b c \n';
    project.write({ ".gitmodules": text });
    expect(await submodulePaths(project.runtime, place)).toEqual(["lib/a", "app/b c"]);
    const below = { root: project.dir, projectDir: project.at("app") };
    expect(await submodulePaths(project.runtime, below)).toEqual(["../lib/a", "b c"]);
  });
});

describe("describeNested (G20d)", () => {
  test("names each repository with a change that is not committed, once", async () => {
    for (const folder of ["clean", "edited", "untracked"]) nest(folder);
    project.write({ "edited/inner.txt": "2", "untracked/new.txt": "1", "folder/a.txt": "1" });
    const all = ["untracked", "clean", "edited", "untracked", "folder", "gone", "../outside", "."];
    const texts = await describeNested(project.runtime, await openMain(project), all);
    expect(texts).toEqual([
      expect.stringMatching(/^the nested repository untracked has uncommitted changes, /),
      expect.stringMatching(/^the nested repository edited has uncommitted changes, /),
    ]);
  });

  test("starts no git if there is no repository", async () => {
    const context = await openMain(project);
    const { runtime, calls } = await countGit();
    expect(await describeNested(runtime, context, ["gone", "."])).toEqual([]);
    expect(calls()).toEqual([]);
  });

  test("names a repository that git cannot read", async () => {
    project.write({ "broken/.git": "gitdir: /nowhere\n" });
    const texts = await describeNested(project.runtime, await openMain(project), ["broken"]);
    expect(texts).toEqual([expect.stringContaining("the nested repository broken")]);
  });
});
