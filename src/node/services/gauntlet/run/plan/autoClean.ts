/** Detects whether the state of an earlier run still applies to the current work (G18). */
import { ok, type Result } from "neverthrow";
import type { GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { isAncestor } from "@/node/services/gauntlet/change/git/queries";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/**
 * Returns a printable description of the change of context, or undefined if the context is the same. A base for this
 * run only (`-b`) does not show whether work was merged.
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
  if (requestedBase !== undefined) return ok(undefined);
  // If the base already contained the commit at the last run, this comparison does not show a merge.
  if (state.commit === undefined || baseRevision === undefined || state.base_had_commit === true) {
    return ok(undefined);
  }
  const merged = await isAncestor(runtime, context, state.commit, baseRevision);
  return merged.map((is) =>
    is ? `Auto-clean: commit merged into ${baseRef ?? baseRevision}` : undefined
  );
}
