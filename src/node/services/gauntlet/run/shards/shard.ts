/** Which part of a run that is shared out a job belongs to: by its ID alone, whatever other jobs there are. */
import { createHash } from "node:crypto";

/** One of several parts that are run apart and merged afterwards. */
export interface Part {
  /** From 0. */
  readonly job: number;
  /** How many parts there are. */
  readonly jobTotal: number;
}

/** More than any matrix or cluster has; so that a message can name every part that is missing. */
export const MOST_PARTS = 1000;

/** From 0 to below `jobTotal`; the same on every machine. */
export function partOfJob(jobId: string, jobTotal: number): number {
  const digest = createHash("sha256").update(jobId).digest();
  return digest.readUIntBE(0, DIGEST_BYTES) % jobTotal;
}

/** Those of a part, in their order; without a part all of them. */
export function ofPart<T extends { readonly id: string }>(
  jobs: readonly T[],
  part: Part | undefined
): readonly T[] {
  if (part === undefined) return jobs;
  return jobs.filter(({ id }) => partOfJob(id, part.jobTotal) === part.job);
}

/** What a double holds exactly. */
const DIGEST_BYTES = 6;
