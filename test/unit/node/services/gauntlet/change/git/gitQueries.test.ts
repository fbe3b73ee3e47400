import { expect, test } from "vitest";
import { isAncestor, treeFiles } from "@/node/services/gauntlet/change/git/gitQueries";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { countGit, GitProject } from "@test/helpers/gitProject";

test("treeFiles returns the files of the project, with an ID of mode and content", async () => {
  const names = ["app/a b.txt", "app/line\nbreak", "app/deep/ä\t.txt", "app/same.txt"];
  const files = Object.fromEntries(names.map((name) => [name, "content"]));
  const project = await GitProject.create({ ...files, "other/x.txt": "x" });
  project.git("update-index", "--chmod=+x", "app/same.txt");
  project.git("commit", "--quiet", "--message=mode");
  const context = { ...(await openMain(project)), projectDir: project.at("app") };
  const listed = (await treeFiles(project.runtime, context, context.headTree!))._unsafeUnwrap();
  const blob = project.git("hash-object", "app/same.txt");
  const ids = Object.fromEntries(listed.map(({ path, id }) => [path, id]));
  expect(ids).toEqual({
    "a b.txt": `100644 blob ${blob}`,
    "line\nbreak": `100644 blob ${blob}`,
    "deep/ä\t.txt": `100644 blob ${blob}`,
    "same.txt": `100755 blob ${blob}`,
  });
});

test("treeFiles returns none for an empty tree, and fails for one that is missing", async () => {
  const project = await GitProject.create();
  const context = await openMain(project);
  const list = (tree: string) => treeFiles(project.runtime, context, tree);
  expect((await list(context.emptyTree))._unsafeUnwrap()).toEqual([]);
  expect((await list("f".repeat(40)))._unsafeUnwrapErr().message).toContain("git ls-tree failed");
});

test("isAncestor starts no git for HEAD and the base (G18)", async () => {
  const project = await GitProject.create();
  const context = await openMain(project);
  const { runtime, calls } = await countGit();
  for (const headInBase of [true, false]) {
    const known = { ...context, headInBase };
    const answer = await isAncestor(runtime, known, context.head!, context.baseRevision!);
    expect(answer._unsafeUnwrap()).toBe(headInBase);
  }
  expect(calls()).toEqual([]);
});
