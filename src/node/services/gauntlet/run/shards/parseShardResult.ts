/** Parses one result that a shard has printed. The file may have been changed since. */
import { ownCommand } from "@/common/ownCommand";
import { err, ok, Result } from "neverthrow";
import * as z from "zod/mini";
import { parseJson } from "@/common/json";
import { clip, visible } from "@/common/text";
import { GAUNTLET_STATUSES } from "@/node/services/gauntlet/domain/status";
import type { ResultShard } from "@/node/services/gauntlet/domain/resultShard";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { MAX_SHARDS } from "@/node/services/gauntlet/run/shards/shard";

/** A result without the fields that are derived from the rest. */
export interface ShardResult extends Omit<RunResult, "gatesRun" | "gatesFailed"> {
  readonly shard: ResultShard;
}

const texts = z.array(z.string());
const count = z.int().check(z.nonnegative());

const gateSchema = z.looseObject({
  jobId: z.string(),
  kind: z.enum(["check", "review"]),
  gate: z.string(),
  entryPoint: z.string(),
  outcome: z.enum(["passed", "known", "failed", "error", "skipped", "cancelled", "no_files"]),
  durationMs: z.number().check(z.nonnegative()),
  logPath: z.optional(z.string()),
  message: z.optional(z.string()),
  cachedSince: z.optional(z.string()),
});

const sharedSchema = z.object({
  snapshot: z.string(),
  base: z.optional(z.string()),
  config: z.string(),
  jobs: texts,
});

const shardSchema = z
  .object({
    job: count,
    jobTotal: z.int().check(z.positive(), z.maximum(MAX_SHARDS)),
    of: z.optional(sharedSchema),
  })
  .check(z.refine(({ job, jobTotal }) => job < jobTotal));

const resultSchema = z.object({
  status: z.enum(GAUNTLET_STATUSES),
  message: z.string(),
  gates: z.array(gateSchema),
  fixed: texts,
  skipped: z.array(z.object({ issue: z.string(), reason: z.string() })),
  warnings: texts,
  errorMessage: z.optional(z.string()),
  shard: z.optional(shardSchema),
});

/**
 * Parses a shard's result.
 *
 * @returns an error as the predicate of a sentence whose subject is the result's name
 */
export function parseShardResult(text: string): Result<ShardResult, string> {
  return parseResult(text).andThen(({ shard, ...result }) =>
    shard === undefined
      ? err(
          `is not the result of a shard (${visible(clip(`${result.status}: ${result.message}`, MAX_CHARS))}); to get one, run "${ownCommand()} run --job I --job-total N --json"`
        )
      : ok({ ...result, shard })
  );
}

/** Parses the result of any run. Errors as of {@link parseShardResult}. */
export function parseResult(
  text: string
): Result<Omit<ShardResult, "shard"> & Partial<ShardResult>, string> {
  if (text.trim() === "") return err("is empty");
  const json = parseJson(text);
  if (json.isErr()) return err(`is not JSON (${visible(clip(json.error, MAX_CHARS))})`);
  const parsed = resultSchema.safeParse(json.value, { jitless: true });
  if (!parsed.success) {
    const key = parsed.error.issues[0]?.path.join(".") ?? "";
    const invalid = key === "" ? "" : ` (invalid: ${visible(clip(key, MAX_CHARS))})`;
    return err(`is not a result of "mux-stop-hooks run --json"${invalid}`);
  }
  // JSON has no undefined, and the schema has every key that is read.
  const result = parsed.data as Omit<ShardResult, "shard"> & Partial<ShardResult>;
  // Parsing JSON is not recursive, but serializing it is.
  return stringify(result)
    .map(() => result)
    .mapErr(() => "is nested too deeply");
}

const stringify = Result.fromThrowable((result: object) => JSON.stringify(result));

const MAX_CHARS = 200;
