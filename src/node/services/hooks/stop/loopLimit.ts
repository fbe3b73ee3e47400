/** Applies the limit of one handler, which can stop a hook from requesting continuations without end (H45). */
import { firstLine } from "@/common/text";
import type { ConfiguredHook, HookRun } from "@/node/services/hooks/contract/types";
import { loopLimitReached } from "@/node/services/hooks/messages/stop";

/**
 * Returns the run, without any effect on the turn if its hook has requested as many continuations as it may.
 *
 * @param requests number of continuations of this turn that each hook has requested, by its name
 */
export function applyLoopLimit(
  run: HookRun,
  { name, handler, source }: ConfiguredHook,
  requests: ReadonlyMap<string, number> = new Map()
): HookRun {
  const { loop_limit: limit } = handler;
  if (limit === undefined || (requests.get(name) ?? 0) < limit) return run;
  const { outcome, reason, context, stopReason } = run;
  if (outcome !== "block" && outcome !== "feedback" && outcome !== "end") return run;
  const origin = source === undefined ? undefined : `${source.file}:${source.line}`;
  const request = firstLine(reason ?? context ?? stopReason ?? "");
  const warning = loopLimitReached(limit, origin, request);
  return { ...run, outcome: "ignored", warnings: [...run.warnings, warning] };
}
