/**
 * Combines the runs of one stop's hooks into the result of the stop, in configured order (H16, H17). If no hook could
 * run, the result blocks for each hook with `failClosed` (H44).
 */
import { plural } from "@/common/safeText";
import { lostWith } from "@/node/runtime/lostConnection";
import type * as contract from "@/node/services/hooks/contract/types";
import * as execution from "@/node/services/hooks/execution/executeHook";
import { applyLoopLimit } from "@/node/services/hooks/stop/continuationLimit";
import { endUnknown } from "@/node/services/hooks/execution/verdict";

/** Aggregates the runs of a stop that was not interrupted by the user. */
export function aggregateRuns(runs: readonly contract.HookRun[]): contract.StopHooksResult {
  const merged = {
    warnings: nonEmpty(describeWarnings(runs)),
    systemMessages: nonEmpty(runs.flatMap((run) => run.systemMessage ?? [])),
    runs: [...runs],
  };

  const ending = runs.filter((run) => run.outcome === "end");
  if (ending.length > 0) {
    const stopReason = ending.find((run) => run.stopReason !== undefined)?.stopReason;
    return { shouldStop: true, stopReason, ...merged };
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
function describeWarnings(runs: readonly contract.HookRun[]): string[] {
  const warningsOf = ({ name, title, warnings }: contract.HookRun): string[] =>
    warnings.map((warning) => `${name} (${title}): ${warning}`);
  const lost = runs.filter(({ end }) => lostWith(end) !== undefined);
  const [first, ...others] = lost;
  if (first === undefined || others.length === 0) return runs.flatMap(warningsOf);
  const problem = endUnknown(lostWith(first.end) ?? "");
  return [
    `${first.name} (${first.title}) and ${plural(others.length, "other hook")} ${problem}`,
    ...runs.filter((run) => !lost.includes(run)).flatMap(warningsOf),
  ];
}

function nonEmpty(list: string[]): string[] | undefined {
  return list.length === 0 ? undefined : list;
}

/**
 * Returns the result of a stop whose hooks could not run. It blocks if one of them has `failClosed` (H44). The caller
 * adds the warning about the problem.
 *
 * @param hooks the hooks that would have run
 */
export function resultWithoutRuns(
  hooks: readonly contract.ConfiguredHook[],
  problem: string,
  requests?: ReadonlyMap<string, number>
): contract.StopHooksResult {
  const runs = hooks.filter(execution.failsClosed).map((hook) => {
    const run: contract.HookRun = {
      ...execution.runWithoutOutput(hook, "block"),
      end: { kind: "notStarted", message: problem },
      reason: execution.failureBlocks(hook, problem),
    };
    return applyLoopLimit(run, hook, requests);
  });
  return aggregateRuns(runs);
}
