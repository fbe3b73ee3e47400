/** Assigns the jobs of a distributed run to shards: by job ID only, regardless of the other jobs. */
import { sha256 } from "@/common/hash";

/** One of several shards that run separately and are merged afterwards. */
export interface Shard {
  /** Zero-based. */
  readonly job: number;
  /** Number of shards. */
  readonly jobTotal: number;
}

/** Exceeds the size of any matrix or cluster, but still lets a message name every missing shard. */
export const MAX_SHARDS = 1000;

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

/** Number of bytes that a double holds exactly. */
const DIGEST_BYTES = 6;
