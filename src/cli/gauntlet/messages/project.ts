/** Messages about the project and the command line of `agent-gauntlet`. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";
import { RUN_IN_PROGRESS } from "@/node/services/gauntlet/messages/report";
import { NO_CONFIG } from "@/node/services/gauntlet/messages/status";

/** @param machine the workspace's machine; undefined for this one */
export function noProject(folder: string, machine: string | undefined): string {
  const on = machine === undefined ? "" : ` on ${machine}`;
  return `${NO_CONFIG} in ${folder}${on}, or in a parent folder within the same repository; run "${ownCommand()} init" to create it`;
}

export function configErrors(count: number): string {
  return `the configuration has ${plural(count, "error")}; correct the configuration and try again`;
}

export function warning(text: string): string {
  return `Warning: ${text}`;
}

/** @param holder the process that holds the lock */
export function runInProgress(holder: string): string {
  return `${RUN_IN_PROGRESS}: ${holder}; wait until it ends`;
}

// The command line

export function seeHelp(problem: string): string {
  return `${problem}; see "${ownCommand()} help"`;
}

export function unknownCommand(name: string): string {
  return `error: unknown command '${name}'`;
}

/** Completes commander's message about an invalid argument. */
export function expected(description: string): string {
  return `Expected ${description}.`;
}

export const BRANCH_NAME = "the name of a branch";
export const COMMIT_NAME = "the ID or the name of a commit";
export const GATE_NAME = "the name of a gate";

export function numberInRange(min: number, max: number): string {
  return `a whole number from ${min} to ${max}`;
}

export const JOB_MISSING = "error: option '--job-total <count>' needs --job";
export const JOB_TOTAL_MISSING = "error: option '--job <index>' needs --job-total";

export function shardOutOfRange(job: number, jobTotal: number): string {
  const range = jobTotal === 1 ? "0" : `0 to ${jobTotal - 1}`;
  return `error: shard ${job} of ${jobTotal} does not exist; shards are numbered ${range}`;
}
