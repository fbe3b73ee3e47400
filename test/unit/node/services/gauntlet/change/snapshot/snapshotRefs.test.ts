import { expect, test } from "vitest";
import { keepSnapshots } from "@/node/services/gauntlet/change/git/queries";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { countGit, GitProject } from "@test/helpers/gitProject";

function held(project: GitProject): string[] {
  const format = "--format=%(refname) %(objectname)";
  return project.git("for-each-ref", format, "refs/worktree").split("\n");
}

const ref = (id: string): string => `refs/worktree/agent-gauntlet/${id} ${id}`;

/** Creates a project with two commits, and holds the tree of the first. */
async function heldProject() {
  const project = await GitProject.create();
  const first = project.git("rev-parse", "HEAD^{tree}");
  project.commit("second", { "b.txt": "b" });
  const second = project.git("rev-parse", "HEAD^{tree}");
  (await keepSnapshots(project.runtime, await openMain(project), [first]))._unsafeUnwrap();
  return { project, first, second, context: await openMain(project) };
}

test("keepSnapshots holds only the given trees, each by one ref (G9a)", async () => {
  const { project, first, second, context } = await heldProject();
  expect(held(project)).toEqual([ref(first)]);
  (await keepSnapshots(project.runtime, context, [second, second]))._unsafeUnwrap();
  expect(held(project)).toEqual([ref(second)]);
});

test("keepSnapshots starts no git if nothing changes (G9a)", async () => {
  const { first, context } = await heldProject();
  const { runtime, calls } = await countGit();
  expect((await keepSnapshots(runtime, context, [first, first])).isOk()).toBe(true);
  expect(calls()).toEqual([]);
});

test("keepSnapshots changes no ref if one of the trees is missing (G9a)", async () => {
  const { project, first, second, context } = await heldProject();
  const kept = await keepSnapshots(project.runtime, context, [second, "f".repeat(40)]);
  expect(kept._unsafeUnwrapErr().message).toContain("git update-ref failed");
  expect(held(project)).toEqual([ref(first)]);
});
