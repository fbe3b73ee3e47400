import { expect, test } from "vitest";
import { baseCandidates } from "@/node/services/gauntlet/change/git/baseCandidates";
import { findMergeBase } from "@/node/services/gauntlet/change/git/findBase";
import { GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";

function find({ dir, runtime }: GitProject, head: string) {
  const place = { cwd: dir, commonDir: `${dir}/.git` };
  const candidates = baseCandidates({ baseBranch: "origin/nope", env: {} });
  return findMergeBase(runtime, place, candidates, { head, mergeBases: undefined, baseRefs: [] });
}

test("a base that does not exist is replaced by main, although its ref is packed with others (G7)", async () => {
  const project = await GitProject.create();
  const base = project.git("rev-parse", "HEAD");
  project.git("switch", "--quiet", "--create", "work");
  const head = project.commit("work");
  project.git("pack-refs", "--all");
  expect((await find(project, head))._unsafeUnwrap()).toEqual({
    ...{ baseRef: "main", baseRevision: "refs/heads/main", baseCommit: base, headInBase: false },
    warnings: [
      expect.stringContaining(
        "the base branch origin/nope does not exist in this clone, so the changes are compared with main;"
      ),
    ],
  });
});

test("fails if git fails (G8)", async () => {
  const outside = new GitProject(await tempDir());
  const { reason, message } = (await find(outside, "f".repeat(40)))._unsafeUnwrapErr();
  expect(reason).toBe("failed");
  expect(message).toContain("git rev-parse failed");
});
