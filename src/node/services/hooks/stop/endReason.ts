/** Describes why hooks let a turn end. */
import { listFiles } from "@/node/services/hooks/settings/definitions";
import type { HookRun, StopHooksResult } from "@/node/services/hooks/contract/types";
import {
  ALL_IN_BACKGROUND,
  hookEndedTurn,
  HOOKS_ALLOWED,
  mixedEnd,
  NO_HOOK_NEEDED,
  NO_HOOK_RAN,
} from "@/node/services/hooks/messages/stop";
import { NOT_TRUSTED } from "@/node/services/hooks/messages/trust";

/** Returns `the hooks allowed the stop` only if every hook that was waited for ran and allowed it. */
export function describeEnd({ runs = [], skipped = [], warnings = [] }: StopHooksResult): string {
  const ending = runs.find(({ outcome }) => outcome === "end");
  if (ending !== undefined) return hookEndedTurn(ending.name);
  const failed = namesOf(runs, "failed");
  const allowed = namesOf(runs, "pass");
  const notRun = skipped
    .filter(({ visible, reason }) => visible || reason === NOT_TRUSTED)
    .map(({ hook }) => hook.name);
  const limited = namesOf(runs, "ignored");
  if (failed.length + limited.length + notRun.length > 0) {
    return mixedEnd(listFiles(allowed), listFiles(failed), listFiles(limited), listFiles(notRun));
  }
  if (allowed.length > 0) return HOOKS_ALLOWED;
  if (runs.length > 0) return ALL_IN_BACKGROUND;
  return warnings.length > 0 ? NO_HOOK_RAN : NO_HOOK_NEEDED;
}

function namesOf(runs: readonly HookRun[], wanted: HookRun["outcome"]): string[] {
  return runs.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
}
