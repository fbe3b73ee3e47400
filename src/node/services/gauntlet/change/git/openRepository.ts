/** Opens the repository that contains a project, with one git process if the base branch exists (G7 to G9). */
import { err, ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { isCi } from "@/common/isCi";
import { baseCandidates, type BaseOptions } from "@/node/services/gauntlet/change/git/baseBranch";
import {
  execGit,
  failed,
  refusal,
  runGit,
  type GitOutput,
  type GitCall,
  type GitFailure,
} from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { parseRevParse, revParseArgs } from "@/node/services/gauntlet/change/git/revParse";
import { findMergeBase } from "@/node/services/gauntlet/change/git/mergeBase";

export interface OpenOptions extends BaseOptions {
  /** Whether no other branch replaces the base. */
  readonly mustExist?: boolean;
  /** Ends every git process that uses the context. */
  readonly signal?: AbortSignal;
}

/**
 * Opens the repository.
 *
 * @param projectDir absolute; anywhere in the working tree
 */
export async function openRepository(
  runtime: HookRuntime,
  projectDir: string,
  { signal, ...options }: OpenOptions
): Promise<Result<GitContext, GitFailure>> {
  const candidates = baseCandidates(options);
  const place = { cwd: projectDir, signal };
  const args = revParseArgs(candidates[0]);
  const output = await execGit(runtime, { ...place, args });
  if (output.isErr()) return err(output.error);
  const info = parseRevParse(output.value, candidates[0]);
  if (info === undefined) return err(whyClosed(projectDir, args, output.value));

  const { root, prefix, gitDir, commonDir, emptyTree, keptSnapshots, head, start } = info;
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
    mergeBases: info.mergeBases,
    baseRefs: info.baseRefs,
  });
  return found.andThen((base) => {
    // A shallow clone without the base branch has no commit to compare with. The run would find no changes and pass.
    if (info.isShallow && base.baseRef === undefined && isCi(options.env)) {
      return err(
        failed(
          'this is a shallow clone without the base branch, so the changes cannot be determined; fetch the history first (actions/checkout: fetch-depth: 0, elsewhere: "git fetch --unshallow")'
        )
      );
    }
    if (options.mustExist === true && base.baseRef !== candidates[0].name) {
      return err(
        failed(
          `there is no branch or commit ${JSON.stringify(candidates[0].name)} in this clone to compare with; fetch it, or name another one`
        )
      );
    }
    const { commit, tree, branch } = head;
    return ok({ ...context, ...base, head: commit, headTree: tree, branch });
  });
}

/** Returns the branch that the first commit will be on. Fails if HEAD names neither a branch nor a commit. */
async function unbornBranch(
  runtime: HookRuntime,
  place: Pick<GitCall, "cwd" | "signal">
): Promise<Result<string, GitFailure>> {
  const printed = await runGit(runtime, { ...place, args: ["symbolic-ref", "--short", "HEAD"] });
  return printed.map((name) => name.trimEnd());
}

function whyClosed(projectDir: string, args: readonly string[], answer: GitOutput): GitFailure {
  if (/safe\.bareRepository|run in a work tree/.test(answer.stderr)) {
    return {
      reason: "no-repository",
      message: `${projectDir} is in a bare repository, which has no files to check; work in a clone or a worktree of it`,
    };
  }
  if (answer.stderr.includes("not a git repository (")) {
    return {
      reason: "no-repository",
      message: `${projectDir} is not in a git repository, so the changes cannot be determined; run "git init" in it, or work in a clone`,
    };
  }
  if (answer.code !== 0) return refusal(args, answer);
  return failed(
    `git rev-parse printed an unknown format in ${projectDir}; check that git is 2.34 or later`
  );
}
