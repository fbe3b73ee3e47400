import fc from "fast-check";
import { expect, test } from "vitest";
import * as assignShards from "@/node/services/gauntlet/run/shards/assignShards";

const jobs = fc
  .uniqueArray(fc.string({ unit: "grapheme" }), { maxLength: 60 })
  .map((ids) => ids.map((id) => ({ id })));
const total = fc.integer({ min: 1, max: assignShards.MAX_SHARDS });

test("every job belongs to exactly one shard, in its order (G10)", () => {
  fc.assert(
    fc.property(jobs, fc.integer({ min: 1, max: 20 }), (all, jobTotal) => {
      const parts = Array.from({ length: jobTotal }, (_, job) =>
        assignShards.jobsOfShard(all, { job, jobTotal })
      );
      expect(parts.flat().length).toBe(all.length);
      expect(new Set(parts.flat())).toEqual(new Set(all));
      for (const part of parts) expect(part).toEqual(all.filter((one) => part.includes(one)));
    })
  );
});

test("the shard of a job does not depend on other jobs (G10)", () => {
  fc.assert(
    fc.property(jobs, jobs, fc.string(), total, (before, after, id, jobTotal) => {
      const job = assignShards.shardOfJob(id, jobTotal);
      expect(job).toBeGreaterThanOrEqual(0);
      expect(job).toBeLessThan(jobTotal);
      expect(
        assignShards.jobsOfShard([...before, { id }, ...after], { job, jobTotal })
      ).toContainEqual({ id });
    })
  );
});

test("the shard of a job is the same on every machine and in every version", () => {
  const ids = ["check:.:test", "check:src:lint", "check:packages/a:types", "review:src:security"];
  expect(ids.map((id) => assignShards.shardOfJob(id, 3))).toEqual([2, 0, 2, 2]);
});

test("many jobs are distributed evenly", () => {
  const sizes = Array.from({ length: 4 }, () => 0);
  for (let n = 0; n < 1000; n++) sizes[assignShards.shardOfJob(`check:packages/p${n}:test`, 4)]!++;
  for (const size of sizes) expect(Math.abs(size - 250)).toBeLessThan(60);
});
