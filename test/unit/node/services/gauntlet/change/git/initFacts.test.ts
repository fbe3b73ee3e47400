import { expect, test } from "vitest";
import { findBaseBranch, notIgnored } from "@/node/services/gauntlet/change/git/initFacts";
import { GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";

test.each([
  [
    "the remote's main, which a run finds by itself",
    ["update-ref refs/remotes/origin/main HEAD", "update-ref refs/remotes/origin/master HEAD"],
  ],
  ["a local master beside another branch", ["branch -m master", "switch --quiet --create work"]],
  ["a detached HEAD", ["branch -m trunk", "checkout --quiet --detach"]],
])("findBaseBranch returns nothing for %s", async (_, commands) => {
  const project = await GitProject.create();
  for (const command of commands) project.git(...command.split(" "));
  expect(await findBaseBranch(project.runtime, project.dir)).toBeUndefined();
});

test("notIgnored returns the paths that git does not ignore, and none outside a repository", async () => {
  const project = await GitProject.create({ ".gitignore": "*.log\n" });
  const paths = ["a.log", "b.txt", "\u{e4} \t.log"];
  expect(await notIgnored(project.runtime, project.dir, paths)).toEqual(["b.txt"]);
  expect(await notIgnored(project.runtime, project.dir, ["b.txt"])).toEqual(["b.txt"]);
  expect(await notIgnored(project.runtime, await tempDir(), ["b.txt"])).toEqual([]);
});
