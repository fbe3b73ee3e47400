/** Makes a commit of a tree, for tools that compare with a commit (G33). */
import type { Result } from "neverthrow";
import { runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/**
 * Constant, so that the same tree and parent have the same commit. In the future, because git walks all commits that are
 * newer than a commit to find a common ancestor. git accepts no year after 2099.
 */
const DATE = "3155760000 +0000";
const PERSON = { NAME: "agent-gauntlet", EMAIL: "agent-gauntlet@localhost", DATE };
const ENV = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((role) =>
    Object.entries(PERSON).map(([key, value]) => [`GIT_${role}_${key}`, value])
  )
);

/** Returns the ID of a commit with this tree. One git process. No ref holds the commit yet (`keepSnapshots`). */
export async function treeCommit(
  runtime: HookRuntime,
  { projectDir, signal }: GitContext,
  tree: string,
  parent: string
): Promise<Result<string, GitFailure>> {
  const args = ["commit-tree", "-m", "The base of a comparison", "-p", parent, tree];
  const made = await runGit(runtime, { cwd: projectDir, args, env: ENV, signal });
  return made.map((id) => id.trim());
}
