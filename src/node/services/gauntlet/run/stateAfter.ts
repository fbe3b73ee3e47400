/** What a run leaves for the next one (G7a, G16, G20a). */
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { Episode } from "@/node/services/gauntlet/domain/episode";
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import { isWhole, type RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { definitionOf } from "@/node/services/gauntlet/run/selectJobs";
import type { Baseline, ExecutionState } from "@/node/services/gauntlet/state/executionState";

export interface Ended {
  readonly options: RunOptions;
  readonly config: GauntletConfig;
  readonly context: GitContext;
  readonly now: () => Date;
  readonly after: Episode;
  readonly result: RunResult;
  /** Absent where the run ended before it looked. */
  readonly snapshot: string | undefined;
}

export function stateAfter(before: ExecutionState, ended: Ended): ExecutionState {
  const { options, config, context, now, after, result, snapshot } = ended;
  const whole = isWhole(options);
  const hasPassed = whole && snapshot !== undefined && isSuccessStatus(result.status);
  return {
    ...before,
    last_run_completed_at: now().toISOString(),
    branch: context.branch,
    commit: context.head,
    working_tree_ref: snapshot ?? before.working_tree_ref,
    status: result.status,
    gates_run: result.gatesRun,
    base_had_commit: context.headInBase,
    partial: !whole,
    attempt: after.attempt,
    open: [...after.open],
    baselines: whole ? moveBaselines(before, ended) : before.baselines,
    passed: hasPassed ? { snapshot, definition: config.digest } : before.passed,
  };
}

/** What is compared with moves on only by passing, gate by gate; gates that are no more are forgotten. */
function moveBaselines(
  { baselines }: ExecutionState,
  { config, result, snapshot }: Ended
): Record<string, Baseline> {
  const gates = new Map(
    config.entryPoints.flatMap((point) => point.gates).map((gate) => [keyOf(gate), gate])
  );
  const moved = Object.entries(baselines).filter(([id]) =>
    [...gates.keys()].some((key) => matches(id, key))
  );
  for (const { jobId, kind, gate, outcome } of result.gates) {
    const definition = gates.get(keyOf({ kind, name: gate }));
    if (outcome !== "passed" || snapshot === undefined || definition === undefined) continue;
    moved.push([jobId, { snapshot, definition: definitionOf(definition) }]);
  }
  return Object.fromEntries(moved);
}

function keyOf({ kind, name }: Pick<GateDefinition, "kind" | "name">): string {
  return `${kind}:${name}`;
}

/** `check:src:lint` is a job of the gate `check:lint`. */
function matches(jobId: string, key: string): boolean {
  const colon = key.indexOf(":");
  return jobId.startsWith(key.slice(0, colon + 1)) && jobId.endsWith(key.slice(colon));
}
