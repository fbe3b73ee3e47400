/** Assigns the jobs of a distributed run to shards: by job ID only, regardless of the other jobs. */
import { sha256 } from "@/common/hash";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { RunIdentity, RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { RunScope, Shard } from "@/node/services/gauntlet/run/runOptions";

/** Exceeds the size of any matrix or cluster, but still lets a message name every missing shard. */
export const MAX_SHARDS = 1000;
/** Number of bytes that a double holds exactly. */
const DIGEST_BYTES = 6;

/** Returns a number from 0 to below `jobTotal`, the same on every machine. */
export function shardOfJob(jobId: string, jobTotal: number): number {
  return Number.parseInt(sha256(jobId, 2 * DIGEST_BYTES), 16) % jobTotal;
}

/** Returns the jobs of a shard in their order, or all jobs without a shard. */
export function jobsOfShard<T extends { readonly id: string }>(
  jobs: readonly T[],
  shard: Shard | undefined
): readonly T[] {
  if (shard === undefined) return jobs;
  return jobs.filter(({ id }) => shardOfJob(id, shard.jobTotal) === shard.job);
}

interface IdentifiedRun {
  readonly context: GitContext;
  readonly config: Pick<GauntletConfig, "digest">;
  readonly options: { readonly scope?: RunScope; readonly shard?: Shard };
}

/**
 * Returns the identity that the shards of one run share. `merge` compares it to find out whether they belong together.
 *
 * @param jobs the jobs of all shards
 */
export function runIdentity(
  { context, config, options: { scope } }: IdentifiedRun,
  snapshot: string,
  jobs: readonly Pick<Job, "id">[]
): RunIdentity {
  const { baseCommit, head } = context;
  const start = scope?.kind === "uncommitted" ? head : baseCommit;
  return {
    snapshot,
    base: scope?.kind === "commit" ? `the parent of ${scope.commit}` : start,
    config: config.digest,
    jobs: jobs.map(({ id }) => id),
  };
}

/** Returns the shard for a result, or an empty object if the run is not a shard. */
export function shardIdentity(
  given: IdentifiedRun,
  snapshot: string,
  jobs: readonly Pick<Job, "id">[]
): Pick<RunResult, "shard"> {
  const { shard } = given.options;
  return shard === undefined ? {} : { shard: { ...shard, of: runIdentity(given, snapshot, jobs) } };
}
