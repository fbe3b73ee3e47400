/** Finds the reasons why results cannot be merged. They must be those of one run, with each of its shards once (G10). */
import { clip, visible } from "@/common/text";
import { isFailure } from "@/node/services/gauntlet/domain/gate";
import type { RunIdentity } from "@/node/services/gauntlet/domain/resultShard";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import type { ShardResult } from "@/node/services/gauntlet/run/shards/parseShardResult";
import { jobsOfShard, shardOfJob } from "@/node/services/gauntlet/run/shards/shard";

interface NamedShard {
  readonly source: string;
  readonly job: number;
  readonly jobTotal: number;
}

/** Different values in two results that must have the same value. */
interface Difference {
  readonly source: string;
  readonly other: string;
  readonly value: string;
  readonly otherValue: string;
}

interface Named {
  readonly source: string;
  readonly result: ShardResult;
}

/** Returns sentences that name the shard or its source. */
export function validateShards(parts: readonly Named[]): string[] {
  const [first] = parts;
  if (first === undefined) return [];
  const { jobTotal } = first.result.shard;
  const others = parts.filter(({ result }) => result.shard.jobTotal !== jobTotal);
  const alike = parts.filter(({ result }) => result.shard.jobTotal === jobTotal);
  const model = alike.find(({ result }) => result.shard.of !== undefined);
  return [
    ...others.map(({ source, result: { shard } }) => {
      const other = { source: visible(source), job: shard.job, jobTotal: shard.jobTotal };
      return otherTotal(other, { source: visible(first.source), jobTotal });
    }),
    ...doubles(alike),
    ...alike.flatMap((shard) => (model === undefined ? [] : differences(shard, model))),
    ...alike.flatMap(misplacedGates),
    ...alike.flatMap(unfoundedPass),
    ...missing(alike, jobTotal, model?.result.shard.of),
  ];
}

function doubles(parts: readonly Named[]): string[] {
  const seen = new Map<number, string>();
  return parts.flatMap(({ source, result: { shard } }) => {
    const before = seen.get(shard.job);
    seen.set(shard.job, before ?? source);
    if (before === undefined) return [];
    return [`${visible(source)} and ${visible(before)} are both shard ${shard.job}`];
  });
}

type Describe = (difference: Difference) => string;

function differences({ source, result }: Named, model: Named): string[] {
  const [here, there] = [result.shard.of, model.result.shard.of];
  if (here === undefined || there === undefined) return [];
  const names = { source: visible(source), other: visible(model.source) };
  const differ = (describe: Describe, a = "none", b = "none"): string[] =>
    a === b ? [] : [describe({ ...names, value: shown(a), otherValue: shown(b) })];
  const found = [
    ...differ(otherFiles, here.snapshot, there.snapshot),
    ...differ(otherBase, here.base, there.base),
    ...differ(otherConfig, here.config, there.config),
  ];
  if (found.length > 0 || here.jobs.join("\n") === there.jobs.join("\n")) return found;
  return [
    `${names.source} selected different jobs from ${names.other}; run all shards with the same options`,
  ];
}

/** Reports jobs that belong to another shard, and jobs of this shard that have no result. */
function misplacedGates({ source, result: { shard, gates, status } }: Named): string[] {
  const { job, jobTotal, of } = shard;
  const ids = new Set(gates.map(({ jobId }) => jobId));
  const misplaced = [...ids].filter((id) => shardOfJob(id, jobTotal) !== job);
  const own = jobsOfShard(
    (of?.jobs ?? []).map((id) => ({ id })),
    shard
  );
  const unreported = isSuccessStatus(status) ? own.filter(({ id }) => !ids.has(id)) : [];
  return [
    ...misplaced.map(
      (id) => `${visible(source)} contains ${shown(id)}, which does not belong to shard ${job}`
    ),
    ...unreported.map(({ id }) => `${visible(source)} has no result for ${shown(id)}`),
  ];
}

/** Rejects a pass that does not name what was checked, and a pass with failed gates. */
function unfoundedPass({ source, result: { shard, gates, status } }: Named): string[] {
  if (!isSuccessStatus(status)) return [];
  if (shard.of === undefined)
    return [`${visible(source)} does not state to which run it belongs; run this shard again`];
  return gates.some(isFailure)
    ? [`${visible(source)} has the status ${status}, but contains failed gates`]
    : [];
}

/** Reports missing shards. A shard without jobs need not have been run. */
function missing(parts: readonly Named[], jobTotal: number, of: RunIdentity | undefined): string[] {
  const there = new Set(parts.map(({ result }) => result.shard.job));
  const needed = of?.jobs.map((id) => shardOfJob(id, jobTotal));
  const wanted = new Set(needed ?? Array.from({ length: jobTotal }, (_, job) => job));
  return [...wanted]
    .filter((job) => !there.has(job))
    .sort((a, b) => a - b)
    .map((job) => `shard ${job} of ${jobTotal} (numbered from 0) is missing`);
}

function shown(value: string): string {
  return visible(clip(value, MAX_CHARS));
}

const MAX_CHARS = 200;

function otherTotal(
  { source, job, jobTotal }: NamedShard,
  first: Pick<NamedShard, "source" | "jobTotal">
): string {
  return `${source} is shard ${job} of ${jobTotal} (numbered from 0), but ${first.source} is one of ${first.jobTotal} shards`;
}

function otherFiles({ source, other, value, otherValue }: Difference): string {
  return `${source} checked different files from ${other}: ${value}, not ${otherValue}; run all shards on the same files`;
}

function otherBase({ source, other, value, otherValue }: Difference): string {
  return `${source} used a different base from ${other}: ${value}, not ${otherValue}; run all shards with the same base branch`;
}

function otherConfig({ source, other, value, otherValue }: Difference): string {
  return `${source} used a different configuration from ${other}: ${value}, not ${otherValue}; run all shards with the same .gauntlet folder`;
}
