/** Which part of a run that is shared out a job belongs to: by its ID alone, whatever other jobs there are. */
import { createHash } from "node:crypto";

/** One of several parts that are run apart and merged afterwards. */
export interface Shard {
  /** From 0. */
  readonly job: number;
  /** How many parts there are. */
  readonly jobTotal: number;
}

/** More than any matrix or cluster has; so that a message can name every part that is missing. */
export const MAX_SHARDS = 1000;

/** From 0 to below `jobTotal`; the same on every machine. */
export function shardOfJob(jobId: string, jobTotal: number): number {
  const digest = createHash("sha256").update(jobId).digest();
  return digest.readUIntBE(0, DIGEST_BYTES) % jobTotal;
}

/** Those of a part, in their order; without a part all of them. */
export function jobsOfShard<T extends { readonly id: string }>(
  jobs: readonly T[],
  shard: Shard | undefined
): readonly T[] {
  if (shard === undefined) return jobs;
  return jobs.filter(({ id }) => shardOfJob(id, shard.jobTotal) === shard.job);
}

/** What a double holds exactly. */
const DIGEST_BYTES = 6;
