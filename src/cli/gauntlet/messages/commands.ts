/** Texts of the commands of `agent-gauntlet` that run no gates. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";
import { NO_GATES_MATCH } from "@/node/services/gauntlet/messages/status";

// clean

export function notMoved(path: string, why: string): string {
  return `${path} cannot be moved: ${why}`;
}

export const NOTHING_TO_CLEAN = "There is nothing to clean.";

export function movedFiles(count: number, folder: string): string {
  return `Moved ${plural(count, "file")} to ${folder}:`;
}

export function droppedGate(id: string): string {
  return `Dropped: ${id} failed earlier; this failure no longer counts.`;
}

export function keptGate(id: string): string {
  return `Kept unresolved: ${id} failed in a turn that is still running; fix it, or run "${ownCommand()} clean" again after the turn.`;
}

// detect

/** Scripts match this line. */
export function foundFiles(count: number): string {
  return `Found ${count} changed files`;
}

export const WOULD_RUN = "Would run:";

const NO_GATE_WOULD_RUN = "No gate would run";
export const NONE_WOULD_RUN = `${NO_GATE_WOULD_RUN}.`;
export const NONE_MATCHES = `${NO_GATE_WOULD_RUN}: ${NO_GATES_MATCH}.`;
export const ALL_HAVE_PASSED = `${NO_GATE_WOULD_RUN}: every gate has passed on these files.`;

// health

export const REVIEWERS = "Reviewers";

export function programNotFound(program: string): string {
  return `not found: ${program} is not on the PATH`;
}

/** @param command the command of the configuration that starts with the program */
export function commandNotFound(program: string, command: string): string {
  return `not found: ${program}, which the command ${command} starts`;
}

/** Appears if the first word of the command is not a plain name. */
export function shellCommand(command: string): string {
  return `${command} (a shell command, not searched for)`;
}

// list

export function gauntletOf(project: string): string {
  return `Gauntlet of ${project}`;
}

export function configFacts(baseBranch: string, logDir: string, attempts: number): string {
  return `base branch ${baseBranch}, logs in ${logDir}/, at most ${plural(attempts, "attempt")} per turn`;
}

export const NO_ENTRY_POINTS =
  "No entry points, so no gate ever runs; add folders to entry_points in .gauntlet/config.yml.";
export const NO_GATES = "no gates";

export function excluding(paths: readonly string[]): string {
  return `excludes ${paths.join(", ")}`;
}

/** Notes of a gate. */
export const TURNED_OFF = "turned off";
export const PARALLEL = "parallel";
export const NOT_IN_CI = "not in CI";
export const ONLY_IN_CI = "only in CI";

export const OWN_PROMPT = "its own prompt";

export function builtinPrompt(name: string): string {
  return `built-in prompt ${name}`;
}

// merge

/** The sources of results, and the predicates that state why a result cannot be used. */
export const STANDARD_INPUT = "standard input";

export function lineOf(number: number): string {
  return `line ${number}`;
}

export function cannotBeRead(why: string): string {
  return `cannot be read: ${why}`;
}

/** @param limit in MiB */
export function resultTooLong(limit: number): string {
  return `is longer than ${limit} MiB, the maximum size of a result`;
}

// plan

export const NO_JOBS = "There are no jobs to divide into shards: no gate would run.";

/** @param base the base of the comparison, if there is one */
export function jobsOfSnapshot(count: number, snapshot: string, base: string | undefined): string {
  const compared = base === undefined ? "" : `, compared with ${base}`;
  return `${plural(count, "job")} for the changed files (snapshot of the files: ${snapshot}${compared}):`;
}

export const SHARDS_FROM_ZERO = "Shards are numbered from 0.";

export function shardOfTotal(job: number, jobTotal: number): string {
  return `shard ${job} of ${jobTotal}`;
}

// skip

export const REASON_EMPTY =
  "--reason needs at least three words; state why the violation is skipped";

export function checkNotSkippable(name: string): string {
  return `a check cannot be skipped; fix the failure of "${name}"`;
}

export function skipped(violation: string): string {
  return `Skipped: ${violation}`;
}

// validate

export function configInvalid(project: string, problems: string): string {
  return `The configuration of ${project} is not valid: ${problems}.`;
}

export interface PartCounts {
  readonly entryPoints: number;
  readonly checks: number;
  readonly reviews: number;
}

export function configValid(project: string, { entryPoints, checks, reviews }: PartCounts): string {
  const counts = [
    plural(entryPoints, "entry point"),
    plural(checks, "check"),
    plural(reviews, "review"),
  ];
  return `The configuration of ${project} is valid: ${counts.join(", ")}.`;
}
