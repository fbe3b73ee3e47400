import { expect, test } from "vitest";
import * as changedFiles from "@/node/services/gauntlet/change/diff/changedFiles";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";

test("compares a branch and uncommitted changes with the base, HEAD or the empty tree (G7)", async () => {
  const project = await GitProject.create();
  const base = project.git("rev-parse", "HEAD");
  project.git("switch", "--quiet", "--create", "work");
  const head = project.commit("work");
  const context = await openMain(project);
  expect(changedFiles.branchChanges(context, "tree")).toEqual({ from: base, to: "tree" });
  expect(changedFiles.uncommittedChanges(context, "tree")).toEqual({ from: head, to: "tree" });

  const { baseCommit, ...withoutBase } = context;
  expect(changedFiles.branchChanges(withoutBase, "tree")).toEqual({ from: head, to: "tree" });
  const unborn = await openMain(await GitProject.create({}));
  const everything = { from: unborn.emptyTree, to: "tree" };
  expect(changedFiles.branchChanges(unborn, "tree")).toEqual(everything);
  expect(changedFiles.uncommittedChanges(unborn, "tree")).toEqual(everything);
});

test("compares a commit with its first parent or the empty tree, and rejects other names (G7, G9a)", async () => {
  const project = await GitProject.create();
  const first = project.git("rev-parse", "HEAD");
  project.git("switch", "--quiet", "--create", "side");
  const side = project.commit("side", { "s.txt": "s" });
  project.git("switch", "--quiet", "main");
  const second = project.commit("second", { "b.txt": "b" });
  project.git("merge", "--quiet", "--no-edit", "side");
  const merge = project.git("rev-parse", "HEAD");
  project.git("tag", "--annotate", "--message=v1", "v1", second);
  const context = await openMain(project);
  const range = (commit: string) => changedFiles.commitChanges(project.runtime, context, commit);
  const table = [
    ["HEAD", second, merge],
    ["main", second, merge],
    ["HEAD~1", first, second],
    ["v1", first, second],
    ["HEAD^2", first, side],
    [side.slice(0, 12), first, side],
    [first, context.emptyTree, first],
  ] as const;
  for (const [name, from, to] of table) {
    expect((await range(name))._unsafeUnwrap(), name).toEqual({ from, to });
  }
  const ranges = ["HEAD~1..HEAD", "main..HEAD", "side...main", "^HEAD", "HEAD HEAD"];
  for (const name of ["nope", "", ...ranges, "HEAD^{tree}", "--all", "-n1", "a\nb"]) {
    const { reason, message } = (await range(name))._unsafeUnwrapErr();
    expect(reason).toBe("failed");
    expect(message).toContain(`there is no commit ${JSON.stringify(name)} in this repository`);
  }
});
