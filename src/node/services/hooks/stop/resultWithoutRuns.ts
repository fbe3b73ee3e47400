/** Decides a stop at which no hook can run, because the workspace or the settings cannot be reached (H35, H44). */
import { describeHook, failsClosed } from "@/node/services/hooks/execution/executeHook";
import { aggregateRuns } from "@/node/services/hooks/stop/aggregateRuns";
import { applyLoopLimit } from "@/node/services/hooks/stop/loopLimit";
import type {
  ConfiguredHook,
  HookRun,
  StopHooksResult,
} from "@/node/services/hooks/contract/types";
import { failureBlocks } from "@/node/services/hooks/messages/execution";

/**
 * Returns a result that blocks if a failure of one of the hooks does. The warning about the problem is the caller's.
 *
 * @param hooks the hooks that would have run
 */
export function resultWithoutRuns(
  hooks: readonly ConfiguredHook[],
  problem: string,
  { continuationRequests }: { readonly continuationRequests?: ReadonlyMap<string, number> }
): StopHooksResult {
  const runs = hooks
    .filter(failsClosed)
    .map((hook) => applyLoopLimit(failedRun(hook, problem), hook, continuationRequests));
  return aggregateRuns(runs);
}

function failedRun(hook: ConfiguredHook, message: string): HookRun {
  const about = describeHook(hook);
  return {
    ...about,
    startedAt: new Date().toISOString(),
    durationMs: 0,
    end: { kind: "notStarted", message },
    outcome: "block",
    reason: failureBlocks(`${about.name} (${about.title})`, message),
    warnings: [],
    notes: [],
    stdoutBytes: 0,
    stderrBytes: 0,
  };
}
