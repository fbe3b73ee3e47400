/** Assigns the jobs of a run to shards by job ID only, and identifies the run to which shards belong (G10). */
import { sha256 } from "@/common/hash";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { RunIdentity } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { RunOptions, Shard } from "@/node/services/gauntlet/run/runOptions";

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

type IdentifiedRun = Pick<GauntletRunContext, "context" | "config"> & {
  readonly options: Pick<RunOptions, "scope">;
};

/**
 * Returns the identity that the shards of one run share. `merge` compares it to find out whether they belong together.
 *
 * @param jobs the jobs of all shards
 */
export function runIdentity(
  { context: { baseCommit, head }, config, options: { scope } }: IdentifiedRun,
  snapshot: string,
  jobs: readonly Pick<Job, "id">[]
): RunIdentity {
  const start = scope?.kind === "uncommitted" ? head : baseCommit;
  return {
    snapshot,
    base: scope?.kind === "commit" ? `the parent of ${scope.commit}` : start,
    config: config.digest,
    jobs: jobs.map(({ id }) => id),
  };
}
