/** Aggregates the runs of one stop in configured order, regardless of which hook was faster (H16, H17). */
import { endUnknown } from "@/node/services/hooks/messages/execution";
import { plural } from "@/common/text";
import { lostWith } from "@/node/runtime/connectionErrors";
import type { HookRun, StopHooksResult } from "@/node/services/hooks/contract/types";

/** Aggregates the runs of a stop that was not interrupted by the user. */
export function aggregateRuns(runs: readonly HookRun[]): StopHooksResult {
  const merged = {
    ...nonEmpty("warnings", describeWarnings(runs)),
    ...nonEmpty(
      "systemMessages",
      runs.flatMap((run) => run.systemMessage ?? [])
    ),
    runs: [...runs],
  };

  const ending = runs.filter((run) => run.outcome === "end");
  if (ending.length > 0) {
    const stopReason = ending.find((run) => run.stopReason !== undefined)?.stopReason;
    return { shouldStop: true, ...(stopReason === undefined ? {} : { stopReason }), ...merged };
  }

  const reasons = runs.flatMap((run) => (run.outcome === "block" ? (run.reason ?? []) : []));
  const contexts = runs.flatMap((run) =>
    run.outcome === "block" || run.outcome === "feedback" ? (run.context ?? []) : []
  );
  const texts = [...new Set([...reasons, ...contexts])];
  if (texts.length === 0) return { shouldStop: true, ...merged };
  return {
    shouldStop: false,
    continueReason: texts.join("\n\n"),
    continueKind: reasons.length > 0 ? "block" : "feedback",
    ...merged,
  };
}

/** Describes all warnings. A lost connection is one warning, regardless of how many hooks it ended (H35). */
function describeWarnings(runs: readonly HookRun[]): string[] {
  const lost = runs.filter(({ end }) => lostWith(end) !== undefined);
  const [first, ...others] = lost;
  const one = others.length > 0 && first !== undefined ? describeLost(first, others) : [];
  const reported = others.length > 0 ? runs.filter((run) => !lost.includes(run)) : runs;
  return [
    ...one,
    ...reported.flatMap(({ name, title, warnings }) =>
      warnings.map((warning) => `${name} (${title}): ${warning}`)
    ),
  ];
}

function describeLost(first: HookRun, others: readonly HookRun[]): string[] {
  const name = `${first.name} (${first.title})`;
  return [
    `${name} and ${plural(others.length, "other hook")} ${endUnknown(lostWith(first.end) ?? "")}`,
  ];
}

function nonEmpty<K extends string>(key: K, list: string[]): Partial<Record<K, string[]>> {
  return list.length === 0 ? {} : ({ [key]: list } as Record<K, string[]>);
}
