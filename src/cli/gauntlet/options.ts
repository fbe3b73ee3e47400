/**
 * Defines and parses the options that several gauntlet commands share: shards, the changes to check, the project, gates
 * and reports. Also has the values of `--hook` and `--ci`. Loads no code of `init`.
 */
import { InvalidArgumentError, Option, type Command } from "commander";
import { MAX_SHARDS } from "@/node/services/gauntlet/run/shards/assignShards";
import { wholeNumber } from "@/cli/commanderHelpers";
import type { ShardOptions } from "@/cli/gauntlet/commands/run";
import { parseReport, type ReportRequest } from "@/node/services/gauntlet/domain/runReportFormats";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";

/**
 * Adds `--job I --job-total N`, numbered as in a matrix of GitHub Actions: `I` starts at 0. Each of the two is an error
 * without the other.
 */
export function withShard(command: Command): Command {
  return withJobTotal(command)
    .option(
      "--job <index>",
      "run only the jobs of this shard, from 0; needs --job-total",
      wholeNumber(0, MAX_SHARDS - 1)
    )
    .hook("preAction", (_, called) => {
      const { job, jobTotal } = called.opts<ShardOptions>();
      if (job === undefined && jobTotal === undefined) return;
      if (job === undefined) return called.error("error: option '--job-total <count>' needs --job");
      if (jobTotal === undefined)
        return called.error("error: option '--job <index>' needs --job-total");
      if (job < jobTotal) return;
      const range = jobTotal === 1 ? "0" : `0 to ${jobTotal - 1}`;
      called.error(
        `error: shard ${job} of ${jobTotal} does not exist; shards are numbered ${range}`
      );
    });
}

/** Adds `--job-total N`. */
export function withJobTotal(command: Command): Command {
  return command.option(
    "--job-total <count>",
    "divide the jobs into this number of shards",
    wholeNumber(1, MAX_SHARDS)
  );
}

/** Adds the options that select the changes and the project. */
export function withScope(command: Command): Command {
  return command
    .option(
      "-b, --base-branch <ref>",
      "compare with this branch instead of base_branch",
      requireName("the name of a branch")
    )
    .addOption(
      new Option("-c, --commit <sha>", "use the changes of one commit")
        .argParser(requireName("the ID or the name of a commit"))
        .conflicts("uncommitted")
    )
    .option("-u, --uncommitted", "use the staged, unstaged and untracked changes")
    .addOption(workspaceOption());
}

export function workspaceOption(): Option {
  return new Option(
    "--workspace <url>",
    "the project that contains a folder on another machine, as ssh://[user@]host[:port]/path"
  );
}

export const gateNames = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  requireName("the name of a gate")(value),
];

/** Returns a parser that throws if the value begins with a dash: then it is the next option, and the value is missing. */
function requireName(what: string): (value: string) => string {
  return (value) => {
    if (value.trim() !== "" && !value.startsWith("-")) return value;
    throw new InvalidArgumentError(`Expected ${what}.`);
  };
}

/** Parses one value of `--report`, and adds it to those before. */
export function reportRequest(
  value: string,
  before: readonly ReportRequest[] = []
): readonly ReportRequest[] {
  const request = parseReport(value);
  if (typeof request === "string") throw new InvalidArgumentError(request);
  const isPrinted = ({ format, file }: ReportRequest): boolean =>
    format !== "github" && file === undefined;
  if (isPrinted(request) && before.some(isPrinted)) {
    throw new InvalidArgumentError(
      `Only one report can be printed; write the other to a file: ${request.format}=FILE.`
    );
  }
  return [...before, request];
}

/** The hosts whose hooks `init` can install. */
export const HOOK_NAMES: readonly string[] = [
  ...AGENT_HOSTS.map(({ name }) => name),
  "opencode",
  "kilo",
  "mux",
];

/** The value of `--hook` for the pre-push hook of git. */
export const GIT = "git";

/** The value of `--hook` for no host. */
export const NO_HOST = "none";

/** The values of `--ci`. */
export const CI_NAMES = ["github", "gitlab"] as const;
export type CiName = (typeof CI_NAMES)[number];
