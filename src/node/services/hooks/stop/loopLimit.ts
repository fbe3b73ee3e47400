/** Applies the limit of one handler, which can stop a hook from requesting continuations without end (H45). */
import { firstLine, plural } from "@/common/text";
import type { ConfiguredHook, HookRun } from "@/node/services/hooks/contract/types";

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

/**
 * A hook that may request no more continuations in this turn. Follows the name of the hook.
 *
 * @param origin `file:line` of its settings, if it has any
 * @param request the first line of what it returned; may be empty
 */
function loopLimitReached(limit: number, origin: string | undefined, request: string): string {
  const where = origin === undefined ? "" : ` at ${origin}`;
  const what = request === "" ? "" : `: ${request}`;
  return `its decision has no effect, because it has requested ${plural(limit, "continuation")} in this turn, which is its limit ("loop_limit"${where}); it still returned${what === "" ? " a decision" : what}`;
}
