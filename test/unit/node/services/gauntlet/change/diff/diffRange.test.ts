import { describe, expect, test } from "vitest";
import {
  branchChanges,
  commitChanges,
  uncommittedChanges,
} from "@/node/services/gauntlet/change/diff/changedFiles";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";

test("compares a branch and uncommitted changes with the base, HEAD or the empty tree (G7)", async () => {
  const project = await GitProject.create();
  const base = project.git("rev-parse", "HEAD");
  project.git("switch", "--quiet", "--create", "work");
  const head = project.commit("work");
  const context = await openMain(project);
  expect(branchChanges(context, "tree")).toEqual({ from: base, to: "tree" });
  expect(uncommittedChanges(context, "tree")).toEqual({ from: head, to: "tree" });

  const { baseCommit, ...withoutBase } = context;
  expect(branchChanges(withoutBase, "tree")).toEqual({ from: head, to: "tree" });
  const unborn = await openMain(await GitProject.create({}));
  const everything = { from: unborn.emptyTree, to: "tree" };
  expect(branchChanges(unborn, "tree")).toEqual(everything);
  expect(uncommittedChanges(unborn, "tree")).toEqual(everything);
});

describe("commitChanges (G7)", () => {
  /** Creates three commits on `main`, the last of which merges a branch with one commit. */
  async function history() {
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
    const range = (commit: string) => commitChanges(project.runtime, context, commit);
    return { commits: { first, second, side, merge, empty: context.emptyTree }, range };
  }

  test("compares a commit with its first parent, and the first commit with the empty tree", async () => {
    const { commits, range } = await history();
    const table = [
      ["HEAD", "second", "merge"],
      ["main", "second", "merge"],
      ["HEAD~1", "first", "second"],
      ["v1", "first", "second"],
      ["HEAD^2", "first", "side"],
      [commits.side.slice(0, 12), "first", "side"],
      [commits.first, "empty", "first"],
    ] as const;
    for (const [name, from, to] of table) {
      const expected = { from: commits[from], to: commits[to] };
      expect((await range(name))._unsafeUnwrap(), name).toEqual(expected);
    }
  });

  test("rejects a name that is not one commit (G9a)", async () => {
    const { range } = await history();
    const ranges = ["HEAD~1..HEAD", "main..HEAD", "side...main", "^HEAD", "HEAD HEAD"];
    const names = ["nope", "", ...ranges, "HEAD^{tree}", "--all", "-n1", "a\nb"];
    for (const name of names) {
      const { reason, message } = (await range(name))._unsafeUnwrapErr();
      expect(reason).toBe("failed");
      expect(message).toContain(`there is no commit ${JSON.stringify(name)} in this repository`);
    }
  });
});
