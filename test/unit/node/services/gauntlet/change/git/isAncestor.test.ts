import { expect, test } from "vitest";
import { isAncestor } from "@/node/services/gauntlet/change/git/queries";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { countGit, GitProject } from "@test/helpers/gitProject";

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
