/** Whether what an earlier run left still concerns the work at hand (G18). */
import { ok, type Result } from "neverthrow";
import type { GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { isAncestor } from "@/node/services/gauntlet/change/git/isAncestor";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/**
 * What has changed since, as it is printed; nothing where the context is the same. A base that was asked for this once
 * (`-b`) says nothing of what was merged.
 */
export async function contextChange(
  runtime: HookRuntime,
  context: GitContext,
  state: ExecutionState,
  requestedBase: string | undefined
): Promise<Result<string | undefined, GitFailure>> {
  const { branch, baseRef, baseRevision } = context;
  if (state.branch !== undefined && state.branch !== branch) {
    return ok(`Auto-clean: branch changed (${state.branch} → ${branch})`);
  }
  // Work on top of the base itself was merged before it began.
  if (requestedBase !== undefined) return ok(undefined);
  if (state.commit === undefined || baseRevision === undefined || state.base_had_commit === true) {
    return ok(undefined);
  }
  const merged = await isAncestor(runtime, context, state.commit, baseRevision);
  return merged.map((is) =>
    is ? `Auto-clean: commit merged into ${baseRef ?? baseRevision}` : undefined
  );
}
