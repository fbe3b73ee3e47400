/** The identity that the shards of one run share. `merge` compares it to find out whether they belong together. */
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { RunIdentity } from "@/node/services/gauntlet/domain/resultShard";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { RunScope } from "@/node/services/gauntlet/run/runOptions";

type Jobs = readonly Pick<Job, "id">[];

/**
 * Returns the identity of a run.
 *
 * @param jobs the jobs of all shards
 */
export function runIdentity(
  context: GitContext,
  config: Pick<GauntletRunContext["config"], "digest">,
  { snapshot, scope, jobs }: { snapshot: string; scope: RunScope | undefined; jobs: Jobs }
): RunIdentity {
  const base = startOf(context, scope);
  return {
    snapshot,
    ...(base === undefined ? {} : { base }),
    config: config.digest,
    jobs: jobs.map(({ id }) => id),
  };
}

/** Returns the shard for a result, or an empty object if the run is not a shard. */
export function shardIdentity(
  { options: { shard, scope }, context, config }: GauntletRunContext,
  snapshot: string,
  jobs: Jobs
): Pick<RunResult, "shard"> {
  if (shard === undefined) return {};
  return { shard: { ...shard, of: runIdentity(context, config, { snapshot, scope, jobs }) } };
}

function startOf({ baseCommit, head }: GitContext, scope: RunScope | undefined) {
  switch (scope?.kind) {
    case undefined:
      return baseCommit;
    case "uncommitted":
      return head;
    case "commit":
      return `the parent of ${scope.commit}`;
  }
}
