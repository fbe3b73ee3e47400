/** Lists the jobs to distribute over shards. Takes no lock, runs no gate and writes no run file. */
import { err, ok, safeTry, type ResultAsync } from "neverthrow";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { outputRules } from "@/node/services/gauntlet/domain/outputs";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { RunIdentity } from "@/node/services/gauntlet/domain/resultShard";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/openRunRepository";
import { runIdentity } from "@/node/services/gauntlet/run/shards/shardIdentity";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { selectJobs } from "@/node/services/gauntlet/run/plan/selectJobs";
import { selectGates } from "@/node/services/gauntlet/run/plan/selectGates";

export type ShardPlanOptions = Required<Pick<RunOptions, "runtime" | "projectDir" | "env">> &
  Pick<RunOptions, "baseBranch" | "scope" | "signal">;

export interface SharedPlan {
  /** The run that every shard must belong to. */
  readonly of: RunIdentity;
  readonly jobs: readonly Job[];
  readonly warnings: readonly string[];
}

/** Selects the jobs as each shard does: by the changes since the base, without this machine's state. */
export function planJobs(
  options: ShardPlanOptions,
  config: GauntletConfig
): ResultAsync<SharedPlan, { readonly message: string }> {
  const { runtime, env, scope, signal } = options;
  return safeTry(async function* () {
    const opened = yield* await openRunRepository(options, config, signal);
    const context = { ...opened, outputs: outputRules(config.entryPoints) };
    const gates = selectGates(config, {}, env);
    if (gates.isErr()) return err({ message: gates.error });
    const { id: snapshot, warnings } = yield* await takeSnapshot(runtime, context);
    const { jobs } = yield* await selectJobs({
      runtime,
      context,
      entryPoints: gates.value.entryPoints,
      snapshot,
      globalDependencies: config.globalDependencies,
      readsOld: config.readsOld,
      unresolved: [],
      baselines: {},
      scope,
    });
    return ok({
      of: runIdentity(context, config, { snapshot, scope, jobs }),
      jobs,
      warnings: [...context.warnings, ...warnings],
    });
  });
}
