import { describe, expect, test } from "vitest";
import { baseCandidates, type BaseOptions } from "@/node/services/gauntlet/change/git/baseBranch";
import { findMergeBase, type FoundBase } from "@/node/services/gauntlet/change/git/mergeBase";
import { GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";

interface Request extends Partial<BaseOptions> {
  readonly mergeBases?: readonly string[];
  readonly baseRefs?: readonly string[];
}

function find(
  { dir, runtime }: GitProject,
  head: string,
  { baseBranch = "origin/nope", env = {}, mergeBases, baseRefs = [] }: Request = {}
) {
  const place = { cwd: dir, commonDir: `${dir}/.git` };
  const candidates = baseCandidates({ baseBranch, env });
  return findMergeBase(runtime, place, candidates, { head, mergeBases, baseRefs });
}

async function found(...given: Parameters<typeof find>): Promise<FoundBase> {
  return (await find(...given))._unsafeUnwrap();
}

/** Creates a branch with one commit, on `main` with one commit. */
async function workProject() {
  const project = await GitProject.create();
  const base = project.git("rev-parse", "HEAD");
  project.git("switch", "--quiet", "--create", "work");
  return { project, base, head: project.commit("work") };
}

describe("a base that does not exist (G7)", () => {
  const instead = (used: string) => [
    expect.stringContaining(
      `the base branch origin/nope does not exist in this clone, so the changes are compared with ${used};`
    ) as string,
  ];

  test.each([
    ["in a file of its own", []],
    ["packed with others", ["pack-refs", "--all"]],
  ])("is replaced by main, whose ref is %s", async (_, command) => {
    const { project, base, head } = await workProject();
    if (command.length > 0) project.git(...command);
    expect(await found(project, head)).toEqual({
      baseRef: "main",
      baseRevision: "refs/heads/main",
      baseCommit: base,
      headInBase: false,
      warnings: instead("main"),
    });
  });

  test("holds HEAD if the branch in its place is at HEAD", async () => {
    const { project, head } = await workProject();
    project.git("update-ref", "refs/heads/main", head);
    expect(await found(project, head)).toMatchObject({ baseCommit: head, headInBase: true });
  });
});

test("fails if git fails (G8)", async () => {
  const outside = new GitProject(await tempDir());
  const failure = (await find(outside, "f".repeat(40)))._unsafeUnwrapErr();
  expect(failure).toMatchObject({
    reason: "failed",
    message: expect.stringContaining("git rev-parse failed") as string,
  });
});
