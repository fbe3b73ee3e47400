/** Unresolved gates of branches that are not checked out (G18a). */
import { ownCommand } from "@/common/ownCommand";
import { visible } from "@/common/text";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

const MAX_BRANCHES = 20;

/**
 * Returns the state with the gates that are unresolved on this branch as its unresolved gates. One that failed on another
 * branch is also kept for that branch, as long as the branch has commits that HEAD does not have.
 */
export async function sortByBranch(
  runtime: HookRuntime,
  context: GitContext,
  state: ExecutionState
): Promise<ExecutionState> {
  const { [context.branch]: ofThis = {}, ...others } = state.elsewhere ?? {};
  const found = new Map(Object.entries(others));
  for (const id of state.open) {
    const failure = state.failures[id];
    const { branch = context.branch } = failure ?? {};
    if (failure === undefined || branch === context.branch) continue;
    found.set(branch, { ...found.get(branch), [id]: failure });
  }
  const entries = [...found].slice(-MAX_BRANCHES);
  const hasWork = await Promise.all(
    entries.map(async ([branch]) => await hasOwnCommits(runtime, context, branch))
  );
  const kept = entries.filter((_, i) => hasWork[i]);
  return {
    ...state,
    open: [...new Set([...state.open, ...Object.keys(ofThis)])],
    failures: { ...ofThis, ...state.failures },
    elsewhere: kept.length === 0 ? undefined : Object.fromEntries(kept),
  };
}

/** Returns true in doubt, and false if the branch does not exist. */
async function hasOwnCommits(
  runtime: HookRuntime,
  { projectDir: cwd, signal }: GitContext,
  branch: string
): Promise<boolean> {
  const revisions = ["--end-of-options", `refs/heads/${branch}`, "^HEAD"];
  const args = ["rev-list", "--max-count=1", ...revisions];
  const listed = await execGit(runtime, { cwd, args, signal });
  return listed.isErr() || (listed.value.code === 0 && listed.value.stdout !== "");
}

export function describeElsewhere({ elsewhere = {} }: ExecutionState): string[] {
  return Object.entries(elsewhere).flatMap(([branch, failures]) =>
    Object.keys(failures).map(
      (id) =>
        `${visible(id)} failed on branch ${visible(branch)} and has not passed there since; to check it, run "${ownCommand()} run" on that branch`
    )
  );
}
