/** Describes why hooks let a turn end. */
import { listFiles } from "@/node/services/hooks/settings/definitions";
import type { HookRun, HookSettings, StopHooksResult } from "@/node/services/hooks/contract/types";
import { NOT_TRUSTED } from "@/node/services/hooks/messages/trust";

interface End {
  readonly action: "end";
  readonly reason: string;
  /** Set if hooks had to decide, and not all of them allowed the stop. */
  readonly unverified?: true;
}

/** Returns `the hooks allowed the stop` only if every hook that was waited for ran and allowed it. */
export function describeEnd(
  { runs = [], skipped = [], warnings = [] }: StopHooksResult,
  { diagnostics }: Pick<HookSettings, "diagnostics"> = { diagnostics: [] }
): End {
  const ending = runs.find(({ outcome }) => outcome === "end");
  if (ending !== undefined)
    return { action: "end", reason: `${ending.name} returned continue: false` };
  const failed = namesOf(runs, "failed");
  const unverified = runs.flatMap((run) => (run.unverified === true ? [run.name] : []));
  const allowed = namesOf(runs, "pass").filter((name) => !unverified.includes(name));
  const limited = namesOf(runs, "ignored");
  const notRun = skipped
    .filter(
      ({ visible, reason, hook }) =>
        visible || reason === NOT_TRUSTED || hook.handler.type === "unsupported"
    )
    .map(({ hook }) => hook.name);
  const invalid = diagnostics.flatMap(({ severity, file }) => (severity === "error" ? [file] : []));
  const problems = [failed, unverified, limited, notRun, invalid];
  if (problems.some((names) => names.length > 0)) {
    return unverifiedEnd(
      mixedEnd({
        allowed: listFiles(allowed),
        failed: listFiles(failed),
        unverified: listFiles(unverified),
        limited: listFiles(limited),
        notRun: listFiles(notRun),
        invalid: listFiles([...new Set(invalid)]),
      })
    );
  }
  if (runs.length === 0 && warnings.length > 0) return unverifiedEnd("no hook ran");
  const reason =
    allowed.length > 0 ? "the hooks allowed the stop" : "all hooks run in the background";
  return { action: "end", reason: runs.length === 0 ? "no hook had to run" : reason };
}

export function unverifiedEnd(reason: string): End {
  return { action: "end", reason, unverified: true };
}

function namesOf(runs: readonly HookRun[], wanted: HookRun["outcome"]): string[] {
  return runs.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
}

/** Lists what each hook did. Each value is a list of names, or empty. */
function mixedEnd(names: {
  readonly allowed: string;
  readonly failed: string;
  /** Verified nothing, or not everything. */
  readonly unverified: string;
  /** Had reached their own limit. */
  readonly limited: string;
  readonly notRun: string;
  /** Settings files with errors, whose invalid parts are skipped. */
  readonly invalid: string;
}): string {
  return [
    [names.allowed, "allowed the stop"],
    [names.failed, "failed without a decision"],
    [names.unverified, "did not verify everything"],
    [names.limited, "had reached the loop_limit"],
    [names.notRun, "did not run"],
    [names.invalid, "could not be read completely"],
  ]
    .flatMap(([list, what]) => (list === "" ? [] : [`${list} ${what}`]))
    .join("; ");
}
