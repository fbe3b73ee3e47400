/** `--job I --job-total N`, numbered as in a matrix of GitHub Actions: `I` starts at 0. */
import { InvalidArgumentError, type Command } from "commander";
import { MAX_SHARDS } from "@/node/services/gauntlet/run/shards/shard";
import * as messages from "@/cli/gauntlet/messages/project";
import type { ShardOptions } from "@/cli/gauntlet/commands/run";

/** Adds both options. Each of the two is an error without the other. */
export function withShard(command: Command): Command {
  return withJobTotal(command)
    .option(
      "--job <index>",
      "run only the jobs of this shard, from 0; needs --job-total",
      shardIndex
    )
    .hook("preAction", (_, called) => {
      const { job, jobTotal } = called.opts<ShardOptions>();
      if (job === undefined && jobTotal === undefined) return;
      if (job === undefined) return called.error(messages.JOB_MISSING);
      if (jobTotal === undefined) return called.error(messages.JOB_TOTAL_MISSING);
      if (job >= jobTotal) called.error(messages.shardOutOfRange(job, jobTotal));
    });
}

export function withJobTotal(command: Command): Command {
  return command.option(
    "--job-total <count>",
    "divide the jobs into this number of shards",
    shardCount
  );
}

const shardIndex = (value: string): number => whole(value, 0, MAX_SHARDS - 1);
const shardCount = (value: string): number => whole(value, 1, MAX_SHARDS);

function whole(value: string, min: number, max: number): number {
  const number = Number(value);
  if (/^\d{1,4}$/.test(value) && number >= min && number <= max) return number;
  throw new InvalidArgumentError(messages.expected(messages.numberInRange(min, max)));
}
