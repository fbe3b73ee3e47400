/**
 * Parses the results of shards, and merges them into the result that one run of all jobs on one machine would have, for
 * the command `merge` (G10). The merged result is an error if shards are missing, duplicated or from another run. Also
 * parses the result of any run, for the command `report`.
 */
import { err, ok, Result } from "neverthrow";
import * as z from "zod/mini";
import { clip, visible, plural } from "@/common/safeText";
import { shownCommand } from "@/common/ownCommandName";
import { parseJson } from "@/common/json";
import { isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";
import type {
  RunIdentity,
  ResultShard,
  RunResult,
} from "@/node/services/gauntlet/domain/runResult";
import * as statuses from "@/node/services/gauntlet/domain/runStatus";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import * as shards from "@/node/services/gauntlet/run/shards/assignShards";

/** The source of a result, as named to users, with the result or the reason why it could not be read. */
export type PartInput =
  | { readonly source: string; readonly result: ShardResult }
  | { readonly source: string; readonly problem: string };

type Part = PartInput & { readonly result: ShardResult };

/**
 * Merges the results of shards. The status is the worst of them ({@link WORST_FIRST}). If shards are missing,
 * duplicated or from another run, the result is an `error` that names them; it still includes the findings of the
 * others.
 */
export function mergeResults(inputs: readonly PartInput[]): RunResult {
  const parts = inputs.filter((input) => "result" in input);
  const unreadable = inputs.flatMap((input) =>
    "problem" in input ? [`${visible(input.source)} ${input.problem}`] : []
  );
  const none = inputs.length === 0 ? ["there is no result to merge"] : [];
  const problems = [...none, ...unreadable, ...validateShards(parts)];
  const count = plural(problems.length, "problem");
  const results = parts.map(({ result }) => result);
  const plan = results.find(({ shard }) => shard.of !== undefined)?.shard.of?.jobs ?? [];
  const places = new Map(plan.map((id, place) => [id, place]));
  const placeOf = ({ jobId }: GateResult): number => places.get(jobId) ?? plan.length;
  const worst = WORST_FIRST.find((status) => results.some((result) => result.status === status));
  const status = problems.length > 0 ? "error" : (worst ?? "error");
  const skipped = new Map(
    results.flatMap((result) => result.skipped).map((skip) => [JSON.stringify(skip), skip])
  );
  const unverified = parts.flatMap(({ source, result: { status: own, errorMessage, message } }) =>
    own === "failed" || statuses.isSuccessStatus(own)
      ? []
      : `${visible(source)}: ${errorMessage ?? message}`
  );
  const caveats = results.flatMap(({ caveat }) => caveat ?? []);
  // The message of a failure names its gates only.
  if (status === "failed") caveats.push(...unverified);
  return createResult(status, {
    // In the order of one run.
    gates: results.flatMap(({ gates }) => gates).sort((a, b) => placeOf(a) - placeOf(b)),
    fixed: [...new Set(results.flatMap(({ fixed }) => fixed))],
    skipped: [...skipped.values()],
    warnings: [...new Set(results.flatMap(({ warnings }) => warnings))],
    caveat: [...new Set(caveats)].join("; ") || undefined,
    errorMessage:
      problems.length > 1
        ? [`the results cannot be merged: ${count}`, ...problems].join("\n  ")
        : (problems[0] ?? (status === "failed" ? undefined : unverified.join("\n") || undefined)),
  });
}

/** Statuses by precedence: unfinished work outranks an unknown outcome, which outranks success. */
const WORST_FIRST: readonly statuses.GauntletStatus[] = [
  "failed",
  "error",
  "infrastructure_error",
  "retry_limit_exceeded",
  "lock_exists",
  "no_config",
  "invalid_input",
  "stop_hook_active",
  "stop_hook_disabled",
  "interval_not_elapsed",
  "postponed",
  "passed_with_warnings",
  "passed",
  "no_applicable_gates",
  "no_changes",
];

/**
 * Returns sentences that state why results cannot be merged and name the shard or its source: the results must be those
 * of one run, with each of its shards once.
 */
function validateShards(parts: readonly Part[]): string[] {
  const [first] = parts;
  if (first === undefined) return [];
  const { jobTotal } = first.result.shard;
  const others = parts.filter(({ result }) => result.shard.jobTotal !== jobTotal);
  const alike = parts.filter(({ result }) => result.shard.jobTotal === jobTotal);
  const model = alike.find(({ result }) => result.shard.of !== undefined);
  return [
    ...others.map(
      ({ source, result: { shard } }) =>
        `${visible(source)} is shard ${shard.job} of ${shard.jobTotal} (numbered from 0), but ${visible(first.source)} is one of ${jobTotal} shards`
    ),
    ...doubles(alike),
    ...alike.flatMap((shard) => (model === undefined ? [] : differences(shard, model))),
    ...alike.flatMap(misplacedGates),
    ...alike.flatMap(unfoundedPass),
    ...missing(alike, jobTotal, model?.result.shard.of),
  ];
}

function doubles(parts: readonly Part[]): string[] {
  return parts.flatMap(({ source, result: { shard } }, i) => {
    const before = parts.slice(0, i).find(({ result }) => result.shard.job === shard.job)?.source;
    if (before === undefined) return [];
    return [`${visible(source)} and ${visible(before)} are both shard ${shard.job}`];
  });
}

function differences({ source, result }: Part, model: Part): string[] {
  const [here, there] = [result.shard.of, model.result.shard.of];
  if (here === undefined || there === undefined) return [];
  const [name, other] = [visible(source), visible(model.source)];
  const compared = [
    ["snapshot", "checked different files", "on the same files"],
    ["base", "used a different base", "with the same base branch"],
    ["config", "used a different configuration", "with the same .gauntlet folder"],
  ] as const;
  const found = compared.flatMap(([key, differs, same]) => {
    const [a = "none", b = "none"] = [here[key], there[key]];
    return a === b
      ? []
      : [`${name} ${differs} from ${other}: ${shown(a)}, not ${shown(b)}; run all shards ${same}`];
  });
  if (found.length > 0 || here.jobs.join("\n") === there.jobs.join("\n")) return found;
  return [`${name} selected different jobs from ${other}; run all shards with the same options`];
}

/** Reports jobs that belong to another shard, and jobs of this shard that have no result. */
function misplacedGates({ source, result: { shard, gates, status } }: Part): string[] {
  const { job, jobTotal, of } = shard;
  const ids = new Set(gates.map(({ jobId }) => jobId));
  const misplaced = [...ids].filter((id) => shards.shardOfJob(id, jobTotal) !== job);
  const own = shards.jobsOfShard(
    (of?.jobs ?? []).map((id) => ({ id })),
    shard
  );
  const unreported = statuses.isSuccessStatus(status) ? own.filter(({ id }) => !ids.has(id)) : [];
  return [
    ...misplaced.map(
      (id) => `${visible(source)} contains ${shown(id)}, which does not belong to shard ${job}`
    ),
    ...unreported.map(({ id }) => `${visible(source)} has no result for ${shown(id)}`),
  ];
}

/** Rejects a pass that does not name what was checked, and a pass with failed gates. */
function unfoundedPass({ source, result: { shard, gates, status } }: Part): string[] {
  if (!statuses.isSuccessStatus(status)) return [];
  if (shard.of === undefined)
    return [`${visible(source)} does not state to which run it belongs; run this shard again`];
  return gates.some(isFailure)
    ? [`${visible(source)} has the status ${status}, but contains failed gates`]
    : [];
}

/** Reports missing shards. A shard without jobs need not have been run. */
function missing(parts: readonly Part[], jobTotal: number, of: RunIdentity | undefined): string[] {
  const there = new Set(parts.map(({ result }) => result.shard.job));
  const needed = of?.jobs.map((id) => shards.shardOfJob(id, jobTotal));
  const wanted = new Set(needed ?? Array.from({ length: jobTotal }, (_, job) => job));
  return [...wanted]
    .filter((job) => !there.has(job))
    .sort((a, b) => a - b)
    .map((job) => `shard ${job} of ${jobTotal} (numbered from 0) is missing`);
}

/** Returns a value of a result as a part of a message. */
function shown(value: string): string {
  return visible(clip(value, MAX_CHARS));
}

/** A result without the fields that are derived from the rest. */
export interface ShardResult extends Omit<RunResult, "gatesRun" | "gatesFailed"> {
  readonly shard: ResultShard;
}

const texts = z.array(z.string());

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

const shardSchema = z
  .object({
    job: z.int().check(z.nonnegative()),
    jobTotal: z.int().check(z.positive(), z.maximum(shards.MAX_SHARDS)),
    of: z.optional(
      z.object({
        snapshot: z.string(),
        base: z.optional(z.string()),
        config: z.string(),
        jobs: texts,
      })
    ),
  })
  .check(z.refine(({ job, jobTotal }) => job < jobTotal));

const resultSchema = z.object({
  status: z.enum(statuses.GAUNTLET_STATUSES),
  message: z.string(),
  gates: z.array(gateSchema),
  fixed: texts,
  skipped: z.array(z.object({ issue: z.string(), reason: z.string() })),
  warnings: texts,
  errorMessage: z.optional(z.string()),
  caveat: z.optional(z.string()),
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
          `is not the result of a shard (${shown(`${result.status}: ${result.message}`)}); to get one, run "${shownCommand()} run --job I --job-total N --json"`
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
  if (json.isErr()) return err(`is not JSON (${shown(json.error)})`);
  const parsed = resultSchema.safeParse(json.value, { jitless: true });
  if (!parsed.success) {
    const key = parsed.error.issues[0]?.path.join(".") ?? "";
    const invalid = key === "" ? "" : ` (invalid: ${shown(key)})`;
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
