/** Opens the repository that a project lies in: one git process where the base branch exists (G7 to G9). */
import { err, ok, type Result } from "neverthrow";
import type { Runtime } from "@/node/runtime/Runtime";
import { baseCandidates, isCi, type BaseOptions } from "@/node/services/gauntlet/change/base";
import {
  askGit,
  failed,
  refusal,
  runGit,
  type GitAnswer,
  type GitCall,
  type GitFailure,
} from "@/node/services/gauntlet/change/git";
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";
import { readLayout, revisionQuestions } from "@/node/services/gauntlet/change/layout";
import { findMergeBase } from "@/node/services/gauntlet/change/mergeBase";

export interface OpenOptions extends BaseOptions {
  /** Ends every git that the context is used for. */
  readonly signal?: AbortSignal;
}

/** @param projectDir absolute; anywhere in the working tree */
export async function openRepository(
  runtime: Runtime,
  projectDir: string,
  { signal, ...options }: OpenOptions
): Promise<Result<GitContext, GitFailure>> {
  const candidates = baseCandidates(options);
  const place = { cwd: projectDir, signal };
  const args = revisionQuestions(candidates[0]);
  const asked = await askGit(runtime, { ...place, args });
  if (asked.isErr()) return err(asked.error);
  const layout = readLayout(asked.value, candidates[0]);
  if (layout === undefined) return err(whyClosed(projectDir, args, asked.value));

  const { root, prefix, gitDir, commonDir, emptyTree, keptSnapshots, head, start } = layout;
  const context = {
    ...{ projectDir, root, prefix, gitDir, commonDir, emptyTree, keptSnapshots },
    ...(signal === undefined ? {} : { signal }),
    ...(start === undefined ? {} : { start }),
  };
  if (head === undefined) {
    const branch = await unbornBranch(runtime, place);
    return branch.map((name) => ({ ...context, branch: name, headInBase: false, warnings: [] }));
  }
  const found = await findMergeBase(runtime, { ...place, commonDir }, candidates, {
    head: head.commit,
    mergeBases: layout.mergeBases,
    baseRefs: layout.baseRefs,
  });
  return found.andThen((base) => {
    // Without history there is nothing to compare with; to find no change there would pass everything.
    if (layout.isShallow && base.baseRef === undefined && isCi(options.env)) {
      return err(failed(SHALLOW_CI));
    }
    const { commit, tree, branch } = head;
    return ok({ ...context, ...base, head: commit, headTree: tree, branch });
  });
}

const SHALLOW_CI =
  "this is a shallow clone without the base branch, so what changed cannot be told; fetch the history first (actions/checkout: fetch-depth: 0, elsewhere: git fetch --unshallow)";

/** The branch that the first commit will be on. A HEAD that names no branch and no commit is broken. */
async function unbornBranch(
  runtime: Runtime,
  place: Pick<GitCall, "cwd" | "signal">
): Promise<Result<string, GitFailure>> {
  const printed = await runGit(runtime, { ...place, args: ["symbolic-ref", "--short", "HEAD"] });
  return printed.map((name) => name.trimEnd());
}

function whyClosed(projectDir: string, args: readonly string[], answer: GitAnswer): GitFailure {
  if (answer.stderr.includes("not a git repository (")) {
    return {
      reason: "no-repository",
      message: `${projectDir} lies in no git repository, so what changed cannot be told; run git init there, or work in a clone`,
    };
  }
  if (answer.code !== 0) return refusal(args, answer);
  return failed(
    `git rev-parse answered for ${projectDir} what cannot be read; is git older than 2.34?`
  );
}
