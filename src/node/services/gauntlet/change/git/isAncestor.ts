import { err, ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit, refusal, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";

/** Returns whether `descendant` contains `ancestor` (G18). A commit that is missing or invalid is not an ancestor. */
export async function isAncestor(
  runtime: HookRuntime,
  { projectDir, head, headInBase, baseRevision, signal }: GitContext,
  ancestor: string,
  descendant: string
): Promise<Result<boolean, GitFailure>> {
  if (ancestor === head && descendant === baseRevision) return ok(headInBase);
  const args = ["merge-base", "--is-ancestor", "--end-of-options", ancestor, descendant];
  const output = await execGit(runtime, { cwd: projectDir, args, signal });
  return output.andThen((answer) => {
    if (answer.code <= 1) return ok(answer.code === 0);
    return answer.stderr.includes("Not a valid") ? ok(false) : err(refusal(args, answer));
  });
}
