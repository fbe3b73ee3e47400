/** Problems with the results of shards. Each names the source of a result, as users named it. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

export const NO_RESULTS = "there is no result to merge";

/** The first line of several problems. */
export function notMergeable(problems: number): string {
  return `the results cannot be merged: ${plural(problems, "problem")}`;
}

/** Why one result cannot be read, as the predicate of a sentence. */
export const EMPTY = "is empty";
export const TOO_DEEP = "is nested too deeply";

export function notJson(why: string): string {
  return `is not JSON (${why})`;
}

/** @param key the key of the invalid value, or an empty text if the whole result is invalid */
export function notResult(key: string): string {
  return `is not a result of "mux-stop-hooks run --json"${key === "" ? "" : ` (invalid: ${key})`}`;
}

/** @param result its status and message */
export function notShard(result: string): string {
  return `is not the result of a shard (${result}); to get one, run "${ownCommand()} run --job I --job-total N --json"`;
}

export interface NamedShard {
  readonly source: string;
  readonly job: number;
  readonly jobTotal: number;
}

export function otherTotal(
  { source, job, jobTotal }: NamedShard,
  first: Pick<NamedShard, "source" | "jobTotal">
): string {
  return `${source} is shard ${job} of ${jobTotal} (numbered from 0), but ${first.source} is one of ${first.jobTotal} shards`;
}

export function duplicateShard(source: string, before: string, job: number): string {
  return `${source} and ${before} are both shard ${job}`;
}

export function missingShard(job: number, jobTotal: number): string {
  return `shard ${job} of ${jobTotal} (numbered from 0) is missing`;
}

/** Different values in two results that must have the same value. */
export interface Difference {
  readonly source: string;
  readonly other: string;
  readonly value: string;
  readonly otherValue: string;
}

export function otherFiles({ source, other, value, otherValue }: Difference): string {
  return `${source} checked different files from ${other}: ${value}, not ${otherValue}; run all shards on the same files`;
}

export function otherBase({ source, other, value, otherValue }: Difference): string {
  return `${source} used a different base from ${other}: ${value}, not ${otherValue}; run all shards with the same base branch`;
}

export function otherConfig({ source, other, value, otherValue }: Difference): string {
  return `${source} used a different configuration from ${other}: ${value}, not ${otherValue}; run all shards with the same .gauntlet folder`;
}

export function otherJobs(source: string, other: string): string {
  return `${source} selected different jobs from ${other}; run all shards with the same options`;
}

export function misplacedJob(source: string, id: string, job: number): string {
  return `${source} contains ${id}, which does not belong to shard ${job}`;
}

export function unreportedJob(source: string, id: string): string {
  return `${source} has no result for ${id}`;
}

/** Appears for a pass that does not state its files, base and configuration. */
export function unidentifiedRun(source: string): string {
  return `${source} does not state to which run it belongs; run this shard again`;
}

export function passWithFailures(source: string, status: string): string {
  return `${source} has the status ${status}, but contains failed gates`;
}

/** The base of a run with `--commit`. */
export function parentOf(commit: string): string {
  return `the parent of ${commit}`;
}
