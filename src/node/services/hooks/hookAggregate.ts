/** What the hooks of one stop come to, read in configured order whoever was faster (H16, H17). */
import type { HookRun, StopHooksResult } from "@/node/services/hooks/types";

/** Runs of a stop that no user interrupt ended. */
export function aggregateRuns(runs: readonly HookRun[]): StopHooksResult {
  const told = {
    ...nonEmpty("warnings", runs.flatMap(describeWarnings)),
    ...nonEmpty(
      "systemMessages",
      runs.flatMap((run) => run.systemMessage ?? [])
    ),
    runs: [...runs],
  };

  const ending = runs.filter((run) => run.outcome === "end");
  if (ending.length > 0) {
    const stopReason = ending.find((run) => run.stopReason !== undefined)?.stopReason;
    return { shouldStop: true, ...(stopReason === undefined ? {} : { stopReason }), ...told };
  }

  const reasons = runs.flatMap((run) => (run.outcome === "block" ? (run.reason ?? []) : []));
  const contexts = runs.flatMap((run) =>
    run.outcome === "block" || run.outcome === "feedback" ? (run.context ?? []) : []
  );
  const texts = [...new Set([...reasons, ...contexts])];
  if (texts.length === 0) return { shouldStop: true, ...told };
  return {
    shouldStop: false,
    continueReason: texts.join("\n\n"),
    continueKind: reasons.length > 0 ? "block" : "feedback",
    ...told,
  };
}

function describeWarnings(run: HookRun): string[] {
  return run.warnings.map((warning) => `${run.name} (${run.title}): ${warning}`);
}

function nonEmpty<K extends string>(key: K, list: string[]): Partial<Record<K, string[]>> {
  return list.length === 0 ? {} : ({ [key]: list } as Record<K, string[]>);
}
