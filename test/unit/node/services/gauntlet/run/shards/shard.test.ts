import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { jobsOfShard, shardOfJob } from "@/node/services/gauntlet/run/shards/shard";

const ids = ["check:.:test", "check:src:lint", "check:packages/ä:types", "review:src:security", ""];

test.each(ids.flatMap((id) => [1, 3, 7, 1000].map((total) => [id, total] as const)))(
  "the shard of %j among %i shards is the first six bytes of its hash modulo their number (G10)",
  (id, total) => {
    const digest = createHash("sha256").update(id, "utf8").digest("hex").slice(0, 12);
    expect(shardOfJob(id, total)).toBe(Number(BigInt(`0x${digest}`) % BigInt(total)));
  }
);

test("jobsOfShard returns the jobs of a shard in their order, and all jobs if no shard is given (G10)", () => {
  const jobs = ids.map((id) => ({ id }));
  const shards = [0, 1, 2].map((job) => jobsOfShard(jobs, { job, jobTotal: 3 }));
  expect(shards).toEqual(
    [0, 1, 2].map((job) => jobs.filter(({ id }) => shardOfJob(id, 3) === job))
  );
  expect(shards.flat()).toHaveLength(jobs.length);
  expect(jobsOfShard(jobs, undefined)).toBe(jobs);
});
