/** Selects the two trees to compare, for each way of requesting changes that G7 lists. */
import { err, ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit, failed, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";

/** Two commits or trees, for `changedFiles`. */
export interface DiffRange {
  readonly from: string;
  readonly to: string;
}

/** Returns the range of everything since the branch left its base, including uncommitted and untracked files. */
export function branchChanges(context: GitContext, snapshot: string): DiffRange {
  return { from: context.baseCommit ?? uncommittedFrom(context), to: snapshot };
}

/** Returns the range for `--uncommitted`: staged, unstaged and untracked changes, as in the working tree. */
export function uncommittedChanges(context: GitContext, snapshot: string): DiffRange {
  return { from: uncommittedFrom(context), to: snapshot };
}

/** Returns the range for `--commit`: from its first parent, or the empty tree for a root commit. One git process. */
export async function commitChanges(
  runtime: HookRuntime,
  { projectDir, emptyTree, signal }: GitContext,
  commit: string
): Promise<Result<DiffRange, GitFailure>> {
  const args = [
    "rev-list",
    "--no-walk",
    "--parents",
    "--end-of-options",
    `${commit}^{commit}`,
    "--",
  ];
  const output = await execGit(runtime, { cwd: projectDir, args, signal });
  return output.andThen(({ stdout }) => {
    const [id, parent = emptyTree] = stdout.trimEnd().split(/[ \n]/);
    // `a..b` names two commits.
    if (id === undefined || id === "" || commit.includes(".."))
      return err(
        failed(
          `there is no commit ${JSON.stringify(commit)} in this repository; use the ID or the name of one commit`
        )
      );
    return ok({ from: parent, to: id });
  });
}

function uncommittedFrom({ head, emptyTree }: GitContext): string {
  return head ?? emptyTree;
}
