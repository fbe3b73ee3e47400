/** What a run leaves for the next one (G7a, G16, G20a). */
import type { GitContext } from "@/node/services/gauntlet/change/gitContext";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { Episode } from "@/node/services/gauntlet/domain/episode";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import { folderOfJob } from "@/node/services/gauntlet/domain/jobId";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import { isPlain, isWhole, type RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { definitionOf } from "@/node/services/gauntlet/run/selectJobs";
import type { Baseline, ExecutionState } from "@/node/services/gauntlet/state/executionState";

export interface Ended {
  readonly options: RunOptions;
  readonly config: GauntletConfig;
  readonly context: GitContext;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly now: () => Date;
  readonly after: Episode;
  readonly result: RunResult;
  /** Absent where the run ended before it looked. */
  readonly snapshot: string | undefined;
  /** What was run. */
  readonly jobs: readonly Job[];
  readonly reviews: ExecutionState["reviews"];
  readonly resting: ExecutionState["resting"];
}

export function stateAfter(before: ExecutionState, ended: Ended): ExecutionState {
  const { options, config, context, env, now, after, result, snapshot } = ended;
  const plain = isPlain(options, env);
  const hasPassed = plain && snapshot !== undefined && isSuccessStatus(result.status);
  return {
    ...before,
    last_run_completed_at: now().toISOString(),
    branch: context.branch,
    commit: context.head,
    working_tree_ref: snapshot ?? before.working_tree_ref,
    status: result.status,
    gates_run: result.gatesRun,
    // Of a base that was asked for this once nothing follows for the next run.
    base_had_commit: options.baseBranch === undefined ? context.headInBase : true,
    partial: !isWhole(options) || options.baseBranch !== undefined,
    attempt: after.attempt,
    open: [...after.open],
    reviews: isOver(ended) ? {} : ofGates(ended.reviews, config),
    resting: ended.resting,
    baselines: plain ? moveBaselines(before, ended) : before.baselines,
    passed: hasPassed ? { snapshot, definition: config.digest } : before.passed,
  };
}

/** With an episode ends what its reviews found. */
function isOver({ options, after }: Ended): boolean {
  return isWhole(options) && after.attempt === 0 && after.open.length === 0;
}

function ofGates<T>(
  byJob: Readonly<Record<string, T>>,
  { entryPoints }: GauntletConfig
): Record<string, T> {
  const gates = entryPoints.flatMap((point) => point.gates);
  return Object.fromEntries(
    Object.entries(byJob).filter(([id]) =>
      gates.some((gate) => folderOfJob(id, gate) !== undefined)
    )
  );
}

/** What is compared with moves on only by passing, gate by gate; gates that are no more are forgotten. */
function moveBaselines(
  { baselines }: ExecutionState,
  { config, result, snapshot, jobs }: Ended
): Record<string, Baseline> {
  const moved = Object.entries(ofGates(baselines, config));
  const definitions = new Map(jobs.map(({ id, gate }) => [id, definitionOf(gate)]));
  for (const { jobId, outcome } of result.gates) {
    const definition = definitions.get(jobId);
    if (outcome !== "passed" || snapshot === undefined || definition === undefined) continue;
    moved.push([jobId, { snapshot, definition }]);
  }
  return Object.fromEntries(moved);
}
