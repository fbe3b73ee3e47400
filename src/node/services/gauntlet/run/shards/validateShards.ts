/** Finds the reasons why results are not those of all shards of one run, each once. */
import { clip, visible } from "@/common/text";
import { isFailure } from "@/node/services/gauntlet/domain/gate";
import type { RunIdentity } from "@/node/services/gauntlet/domain/resultShard";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import type { ShardResult } from "@/node/services/gauntlet/run/shards/parseShardResult";
import { jobsOfShard, shardOfJob } from "@/node/services/gauntlet/run/shards/shard";

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
    ...others.map(({ source, result }) => {
      const there = `is part ${result.shard.job} of ${result.shard.jobTotal}`;
      return `${visible(source)} ${there}, while ${visible(first.source)} is one of ${jobTotal}`;
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
    return [`${visible(source)} is part ${shard.job} once more, which ${visible(before)} is`];
  });
}

function differences({ source, result }: Named, model: Named): string[] {
  const [here, there] = [result.shard.of, model.result.shard.of];
  if (here === undefined || there === undefined) return [];
  const from = `than ${visible(model.source)}`;
  const differ = (what: string, a = "none", b = "none"): string[] =>
    a === b ? [] : [`${visible(source)} ${what} ${from}: ${shown(a)}, not ${shown(b)}`];
  const found = [
    ...differ("looked at other files", here.snapshot, there.snapshot),
    ...differ("compared them with something else", here.base, there.base),
    ...differ("has another configuration", here.config, there.config),
  ];
  if (found.length > 0 || here.jobs.join("\n") === there.jobs.join("\n")) return found;
  return [`${visible(source)} found other jobs ${from}: were both run with the same options?`];
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
    ...misplaced.map((id) => `${visible(source)} has ${shown(id)}, which is no job of part ${job}`),
    ...unreported.map(({ id }) => `${visible(source)} says nothing of ${shown(id)}`),
  ];
}

/** Rejects a pass that does not name what was checked, and a pass with failed gates. */
function unfoundedPass({ source, result: { shard, gates, status } }: Named): string[] {
  if (!isSuccessStatus(status)) return [];
  if (shard.of === undefined) return [`${visible(source)} does not say what it looked at`];
  return gates.some(isFailure) ? [`${visible(source)} is ${status}, and has failed gates`] : [];
}

/** Reports missing shards. A shard without jobs need not have been run. */
function missing(parts: readonly Named[], jobTotal: number, of: RunIdentity | undefined): string[] {
  const there = new Set(parts.map(({ result }) => result.shard.job));
  const needed = of?.jobs.map((id) => shardOfJob(id, jobTotal));
  const wanted = new Set(needed ?? Array.from({ length: jobTotal }, (_, job) => job));
  return [...wanted]
    .filter((job) => !there.has(job))
    .sort((a, b) => a - b)
    .map((job) => `part ${job} of ${jobTotal} is missing`);
}

function shown(value: string): string {
  return visible(clip(value, MAX_CHARS));
}

const MAX_CHARS = 200;
