import { describe, expect, test } from "vitest";
import { baseCandidates, type BaseOptions } from "@/node/services/gauntlet/change/git/baseBranch";
import { findMergeBase, type FoundBase } from "@/node/services/gauntlet/change/git/mergeBase";
import { countGit, GitProject } from "@test/helpers/gitProject";
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

describe("a base that exists (G7)", () => {
  test("needs no further git process", async () => {
    const { project, base, head } = await workProject();
    const { runtime, calls } = await countGit();
    const known = { baseBranch: "main", mergeBases: [base], baseRefs: ["refs/heads/main"] };
    expect(await found(new GitProject(project.dir, runtime), head, known)).toEqual({
      baseRef: "main",
      baseRevision: "main",
      baseCommit: base,
      headInBase: false,
      warnings: [],
    });
    expect(calls()).toEqual([]);
  });

  test("holds HEAD if the merge base is HEAD", async () => {
    const { project, head } = await workProject();
    const request = { baseBranch: "main", mergeBases: [head] };
    expect(await found(project, head, request)).toMatchObject({
      baseCommit: head,
      headInBase: true,
    });
  });

  test("without a common commit is compared at its tip, with a warning", async () => {
    const { project, base, head } = await workProject();
    const request = { baseBranch: "main", mergeBases: [] };
    expect(await found(project, head, request)).toEqual({
      baseRef: "main",
      baseRevision: "main",
      baseCommit: base,
      headInBase: false,
      warnings: [expect.stringContaining("HEAD and main share no commit")],
    });
  });

  test("that is ambiguous resolves to its first meaning, with a warning (G20c)", async () => {
    const { project, base, head } = await workProject();
    project.git("tag", "main", head);
    const baseRefs = ["refs/heads/main", "refs/tags/main"];
    const request = { baseBranch: "main", mergeBases: [head], baseRefs };
    expect(await found(project, head, request)).toEqual({
      baseRef: "main",
      baseRevision: "refs/heads/main",
      baseCommit: base,
      headInBase: false,
      warnings: [
        expect.stringMatching(/main is ambiguous: refs\/heads\/main is used, but refs\/tags\/main/),
      ],
    });
  });
});

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

  test.each([
    ["origin/HEAD", ["refs/remotes/origin/HEAD", "refs/heads/master"]],
    ["main", ["refs/heads/master"]],
    ["master", ["refs/heads/master"], ["refs/heads/main"]],
  ])("is replaced by %s before any later name", async (used, added, removed: string[] = []) => {
    const { project, base, head } = await workProject();
    for (const ref of added) project.git("update-ref", ref, base);
    for (const ref of removed) project.git("update-ref", "-d", ref);
    expect(await found(project, head)).toMatchObject({
      ...{ baseRef: used, baseCommit: base, warnings: instead(used) },
    });
  });

  test("is replaced without a warning by another name of the pull request's base (G7a)", async () => {
    const { project, base, head } = await workProject();
    project.git("branch", "release", base);
    const env = { CI: "true", GITHUB_BASE_REF: "release" };
    const request = { baseBranch: "origin/release", env };
    expect(await found(project, head, request)).toMatchObject({
      ...{ baseRef: "release", baseCommit: base, warnings: [] },
    });
  });

  test("holds HEAD if the branch in its place is at HEAD", async () => {
    const { project, head } = await workProject();
    project.git("update-ref", "refs/heads/main", head);
    expect(await found(project, head)).toMatchObject({ baseCommit: head, headInBase: true });
  });

  test("leaves no base if no other name exists, with a warning", async () => {
    const { project, head } = await workProject();
    project.git("branch", "--quiet", "--delete", "--force", "main");
    expect(await found(project, head)).toEqual({
      headInBase: false,
      warnings: [expect.stringContaining("there is no main or master")],
    });
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
