import { expect, test } from "vitest";
import { isAncestor } from "@/node/services/gauntlet/change/git/queries";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { countGit, GitProject } from "@test/helpers/gitProject";

test("isAncestor returns true for commits of a history, in one direction (G18)", async () => {
  const project = await GitProject.create();
  const first = project.git("rev-parse", "HEAD");
  const second = project.commit("second");
  const context = await openMain(project);
  const table = [
    [first, second, true],
    [first, first, true],
    [second, first, false],
    ["f".repeat(40), second, false],
    ["no name", second, false],
    [project.git("rev-parse", "HEAD^{tree}"), second, false],
  ] as const;
  for (const [ancestor, descendant, is] of table) {
    const answer = await isAncestor(project.runtime, context, ancestor, descendant);
    expect(answer._unsafeUnwrap(), `${ancestor} ${descendant}`).toBe(is);
  }
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
