/**
 * Opens the repository of a project as a `GitContext`: its folders, HEAD, and the commit with which changes are compared;
 * or returns the reason why they cannot be determined. Needs one git process if the base branch exists (G7 to G9).
 */
import { err, ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { isCi } from "@/common/isCi";
import {
  baseCandidates,
  type BaseOptions,
} from "@/node/services/gauntlet/change/git/baseCandidates";
import {
  execGit,
  failed,
  refusal,
  runGit,
  type GitOutput,
  type GitFailure,
} from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { parseRevParse, revParseArgs } from "@/node/services/gauntlet/change/git/revParse";
import { findMergeBase } from "@/node/services/gauntlet/change/git/findBase";

export interface OpenOptions extends BaseOptions {
  /** Whether a base that does not exist is a failure, instead of being replaced by another branch. */
  readonly mustExist?: boolean;
  /** Ends every git process that uses the context. */
  readonly signal?: AbortSignal;
}

/**
 * Returns the repository that contains a project, or the reason why its changes cannot be determined.
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
  if (info === undefined) return err(whyNotOpened(projectDir, args, output.value));

  const { isShallow, baseRefs, mergeBases, head, ...facts } = info;
  const context = { projectDir, ...facts, signal };
  if (head === undefined) {
    // Fails if HEAD names neither a branch nor a commit.
    const branch = await runGit(runtime, { ...place, args: ["symbolic-ref", "--short", "HEAD"] });
    return branch.map((name) => ({
      ...context,
      ...{ branch: name.trimEnd(), headInBase: false, warnings: [] },
    }));
  }
  const at = { ...place, commonDir: info.commonDir };
  const known = { head: head.commit, mergeBases, baseRefs };
  const found = await findMergeBase(runtime, at, candidates, known);
  return found.andThen((base) => {
    // A shallow clone without the base branch has no commit to compare with. The run would find no changes and pass.
    if (isShallow && base.baseRef === undefined && isCi(options.env)) {
      return err(
        failed(
          'this is a shallow clone without the base branch, so the changes cannot be determined; fetch the history first (actions/checkout: fetch-depth: 0, elsewhere: "git fetch --unshallow")'
        )
      );
    }
    if (options.mustExist === true && base.baseRef !== candidates[0].name) {
      const why = `there is no branch or commit ${JSON.stringify(candidates[0].name)} in this clone to compare with; fetch it, or name another one`;
      return err(failed(why));
    }
    const { commit, tree, branch } = head;
    return ok({ ...context, ...base, head: commit, headTree: tree, branch });
  });
}

function whyNotOpened(projectDir: string, args: readonly string[], answer: GitOutput): GitFailure {
  const noRepository = (message: string) => ({ reason: "no-repository", message }) as const;
  if (/safe\.bareRepository|run in a work tree/.test(answer.stderr)) {
    return noRepository(
      `${projectDir} is in a bare repository, which has no files to check; work in a clone or a worktree of it`
    );
  }
  if (answer.stderr.includes("not a git repository (")) {
    return noRepository(
      `${projectDir} is not in a git repository, so the changes cannot be determined; run "git init" in it, or work in a clone`
    );
  }
  if (answer.code !== 0) return refusal(args, answer);
  return failed(
    `git rev-parse printed an unknown format in ${projectDir}; check that git is 2.34 or later`
  );
}
