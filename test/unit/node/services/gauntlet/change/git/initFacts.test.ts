import { expect, test } from "vitest";
import { findBaseBranch, notIgnored } from "@/node/services/gauntlet/change/git/initFacts";
import { GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";

test.each<[string, string | undefined, (project: GitProject) => void]>([
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
  [
    "nothing if HEAD is detached",
    undefined,
    (project) => {
      project.git("branch", "--move", "trunk");
      project.git("checkout", "--quiet", "--detach");
    },
  ],
])("findBaseBranch returns %s", async (_, expected, arrange) => {
  const project = await GitProject.create();
  arrange(project);
  expect(await findBaseBranch(project.runtime, project.dir)).toBe(expected);
});

test("notIgnored returns the paths that git does not ignore, and none outside a repository", async () => {
  const project = await GitProject.create({ ".gitignore": "*.log\n" });
  const paths = ["a.log", "b.txt", "\u{e4} \t.log"];
  expect(await notIgnored(project.runtime, project.dir, paths)).toEqual(["b.txt"]);
  expect(await notIgnored(project.runtime, project.dir, ["b.txt"])).toEqual(["b.txt"]);
  expect(await notIgnored(project.runtime, await tempDir(), ["b.txt"])).toEqual([]);
});
