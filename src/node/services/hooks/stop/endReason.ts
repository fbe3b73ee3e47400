/** Describes why hooks let a turn end. */
import { listFiles } from "@/node/services/hooks/settings/definitions";
import { UNTRUSTED } from "@/node/services/hooks/settings/mergeLayers";
import type { HookRun, StopHooksResult } from "@/node/services/hooks/contract/types";

/** Returns `the hooks agree` only if every hook that was waited for ran and agreed. */
export function describeEnd({ runs = [], skipped = [], warnings = [] }: StopHooksResult): string {
  const ending = runs.find(({ outcome }) => outcome === "end");
  if (ending !== undefined) return `${ending.name} ended it`;
  const failed = namesOf(runs, "failed");
  const agreed = namesOf(runs, "pass");
  const left = skipped.filter(({ visible, reason }) => visible || reason === UNTRUSTED);
  const exceptions = [
    ...(failed.length === 0 ? [] : [`${listFiles(failed)} failed and decided nothing`]),
    ...(left.length === 0 ? [] : [`${listFiles(left.map(({ hook }) => hook.name))} did not run`]),
  ];
  if (exceptions.length > 0) {
    return [...(agreed.length === 0 ? [] : [`${listFiles(agreed)} agreed`]), ...exceptions].join(
      "; "
    );
  }
  if (agreed.length > 0) return "the hooks agree";
  if (runs.length > 0) return "hooks run in the background only";
  return warnings.length > 0 ? "no hook ran" : "no hook had to run";
}

function namesOf(runs: readonly HookRun[], wanted: HookRun["outcome"]): string[] {
  return runs.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
}
