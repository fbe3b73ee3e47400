/** `--job I --job-total N`, numbered as in a matrix of GitHub Actions: `I` starts at 0. */
import { InvalidArgumentError, type Command } from "commander";
import { MAX_SHARDS, type Shard } from "@/node/services/gauntlet/run/shards/shard";

export interface ShardOptions {
  readonly job?: number;
  readonly jobTotal?: number;
}

/** Adds both options. Each of the two is an error without the other. */
export function withShard(command: Command): Command {
  return withJobTotal(command)
    .option("--job <index>", "run this part of the jobs alone, from 0; with --job-total", partIndex)
    .hook("preAction", (_, called) => {
      const { job, jobTotal } = called.opts<ShardOptions>();
      if (job === undefined && jobTotal === undefined) return;
      if (job === undefined) return called.error("error: option '--job-total <count>' needs --job");
      if (jobTotal === undefined)
        return called.error("error: option '--job <index>' needs --job-total");
      if (job >= jobTotal) {
        const range = jobTotal === 1 ? "0" : `0 to ${jobTotal - 1}`;
        called.error(`error: there is no part ${job} of ${jobTotal}; they are ${range}`);
      }
    });
}

export function withJobTotal(command: Command): Command {
  return command.option("--job-total <count>", "share the jobs out over so many parts", partCount);
}

export function shardOf({ job, jobTotal }: ShardOptions): Shard | undefined {
  return job === undefined || jobTotal === undefined ? undefined : { job, jobTotal };
}

const partIndex = (value: string): number => whole(value, 0, MAX_SHARDS - 1);
const partCount = (value: string): number => whole(value, 1, MAX_SHARDS);

function whole(value: string, min: number, max: number): number {
  const number = Number(value);
  if (/^\d{1,4}$/.test(value) && number >= min && number <= max) return number;
  throw new InvalidArgumentError(`Give it a whole number from ${min} to ${max}.`);
}
