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

interface End {
  readonly action: "end";
  readonly reason: string;
  /** Set if hooks had to decide, and not all of them allowed the stop. */
  readonly unverified?: true;
}

/** Returns `the hooks allowed the stop` only if every hook that was waited for ran and allowed it. */
export function describeEnd({ runs = [], skipped = [], warnings = [] }: StopHooksResult): End {
  const ending = runs.find(({ outcome }) => outcome === "end");
  if (ending !== undefined) return { action: "end", reason: hookEndedTurn(ending.name) };
  const failed = namesOf(runs, "failed");
  const unverified = runs.flatMap((run) => (run.unverified === true ? [run.name] : []));
  const allowed = namesOf(runs, "pass").filter((name) => !unverified.includes(name));
  const limited = namesOf(runs, "ignored");
  const notRun = skipped
    .filter(({ visible, reason }) => visible || reason === NOT_TRUSTED)
    .map(({ hook }) => hook.name);
  if (failed.length + unverified.length + limited.length + notRun.length > 0) {
    return unverifiedEnd(
      mixedEnd({
        allowed: listFiles(allowed),
        failed: listFiles(failed),
        unverified: listFiles(unverified),
        limited: listFiles(limited),
        notRun: listFiles(notRun),
      })
    );
  }
  if (runs.length === 0 && warnings.length > 0) return unverifiedEnd(NO_HOOK_RAN);
  const reason = allowed.length > 0 ? HOOKS_ALLOWED : ALL_IN_BACKGROUND;
  return { action: "end", reason: runs.length === 0 ? NO_HOOK_NEEDED : reason };
}

export function unverifiedEnd(reason: string): End {
  return { action: "end", reason, unverified: true };
}

function namesOf(runs: readonly HookRun[], wanted: HookRun["outcome"]): string[] {
  return runs.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
}
