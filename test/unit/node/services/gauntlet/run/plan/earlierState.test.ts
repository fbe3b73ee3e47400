import { beforeAll, describe, expect, test } from "vitest";
import { contextChange } from "@/node/services/gauntlet/run/plan/earlierState";
import { NO_STATE, type ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { countGit, GitProject } from "@test/helpers/gitProject";

describe("contextChange (G18)", () => {
  let project: GitProject;
  let first: string;
  let commit: string;
  beforeAll(async () => {
    project = await GitProject.create();
    first = project.git("rev-parse", "HEAD");
    project.git("switch", "--quiet", "--create", "work");
    commit = project.commit("work");
    project.commit("later");
  });

  /** Returns the change since a run at a commit of `work`. With `isMerged`, `main` contains that commit. */
  async function changeAfter(state: Partial<ExecutionState>, { isMerged = false, base = "" } = {}) {
    project.git("update-ref", "refs/heads/main", isMerged ? commit : first);
    const before = { ...NO_STATE, branch: "work", commit, ...state };
    const requested = base === "" ? undefined : base;
    const change = await contextChange(project.runtime, await openMain(project), before, requested);
    return change._unsafeUnwrap();
  }

  const merged = "Auto-clean: commit merged into main";

  test.each<
    [string, Partial<ExecutionState>, Parameters<typeof changeAfter>[1], string | undefined]
  >([
    ["nothing changed", {}, {}, undefined],
    ["the branch changed", { branch: "old" }, {}, "Auto-clean: branch changed (old → work)"],
    ["the branch is not known", { branch: undefined }, {}, undefined],
    ["the commit was merged", {}, { isMerged: true }, merged],
    ["only the commit is known, and merged", { branch: undefined }, { isMerged: true }, merged],
    ["the base had the commit", { base_had_commit: true }, { isMerged: true }, undefined],
    ["the commit is not known", { commit: undefined }, { isMerged: true }, undefined],
    ["git no longer has the commit", { commit: "f".repeat(40) }, { isMerged: true }, undefined],
    ["the base was given on the command line", {}, { isMerged: true, base: "main" }, undefined],
  ])("if %s", async (_, state, more, change) => {
    expect(await changeAfter(state, more)).toBe(change);
  });

  test("starts no git after a change of branch", async () => {
    const context = await openMain(project);
    const { runtime, calls } = await countGit();
    const state = { ...NO_STATE, branch: "old", commit: context.head };
    expect((await contextChange(runtime, context, state, undefined)).isOk()).toBe(true);
    expect(calls()).toEqual([]);
  });
});
