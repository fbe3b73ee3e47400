/** Texts about known failures and tests that no longer run (G43 to G48). */
import { ownCommand } from "@/common/ownCommand";
import { plural, visible } from "@/common/text";

interface KnownPart {
  readonly count: number;
  readonly since: string;
  readonly commit: string;
}

const COMMIT_DIGITS = 10;
const MAX_NAMED = 3;

function recordedAt({ since, commit }: Omit<KnownPart, "count">): string {
  return `recorded on ${since} at ${commit.slice(0, COMMIT_DIGITS)}`;
}

/** The message of a check with the outcome `known`. */
export function knownOnly(known: KnownPart): string {
  return `${plural(known.count, "known failure")}, ${recordedAt(known)}`;
}

/** For the user, at each stop. */
export function knownAtStop(
  jobId: string,
  known: KnownPart & {
    readonly differing?: number | undefined;
    readonly isDoubtful?: boolean | undefined;
  },
  logPath: string | undefined
): string {
  const { differing = 0, isDoubtful } = known;
  const other =
    differing === 0
      ? ""
      : `; ${plural(differing, "known failure")} ${differing === 1 ? "fails" : "fail"} differently now`;
  const doubt = isDoubtful === true ? "; only the lines of its output are known" : "";
  const log = logPath === undefined ? "" : ` (${visible(logPath)})`;
  return `${visible(jobId)} still fails: ${knownOnly(known)}${other}${doubt}${log}`;
}

/** A line for the agent below its new failures. */
export function olderFailures(count: number): string {
  return `  ${plural(count, "older failure")} in this log ${count === 1 ? "is" : "are"} known and not caused by your change`;
}

/** Why a check fails whose failures are all known. */
export function noLongerRuns(tests: number): string {
  return `${plural(tests, "test")} failed earlier in this turn and did not run again:`;
}

/** @param why the rest of a sentence about the check */
export function doubted(why: string): string {
  return `its known failures do not count, because ${why}`;
}

export const ONLY_LINES =
  "its output is the same as before your change, but your change may concern this check; if it does not, stop again";

export function recordChanged(path: string): string {
  return `the record of known failures ${visible(path)} does not count, because it was not written by "${ownCommand()} known record"`;
}

export function commandChanged(jobId: string): string {
  return `the known failures of ${visible(jobId)} do not count, because its definition changed since they were recorded; "${ownCommand()} known record" records them again`;
}

export function recordNotUsable(jobId: string, why: string): string {
  return `${jobId}: its known failures do not count: ${why}`;
}

export function recordIsOld(jobId: string, at: string): string {
  return `the known failures of ${jobId} were recorded on ${at}, more than 30 days ago; "${ownCommand()} known record" records those of today`;
}

/** For the user, with the first block of a check in a turn. */
export function mayBeOlder(jobId: string, count: number, gate: string): string {
  const what = count === 0 ? "its failure" : plural(count, "failure");
  return `${visible(jobId)}: ${what} may be older than the change. "${ownCommand()} known record --gate ${visible(gate)}" in a terminal records what fails at HEAD, so that only new failures block`;
}

/** For the user: only texts changed, and nothing is known about the check. */
export function neverPassed(message: string | undefined, gate: string): string {
  return `${message ?? "failed"}; no run of the gates has passed it here, and only texts changed. "${ownCommand()} known record --gate ${visible(gate)}" in a terminal records what fails at HEAD`;
}

/** A shared record in CI that has failures which no longer occur. */
export function staleShared(count: number, path: string, gate: string): string {
  const command = ownCommand();
  return `${plural(count, "failure")} of ${visible(path)} no longer occur${count === 1 ? "s" : ""}; run "${command} run --all --gate ${visible(gate)}", then "${command} known prune --gate ${visible(gate)}", and commit the file`;
}

export const MISSING = {
  key: "a key of a model is missing, which no check gets unless its definition names it in pass_env",
  program: "a program is missing",
  packages: "the installed packages cannot be used",
  network: "the network cannot be reached",
  browser: "a browser is missing",
  toolchain: "a toolchain is missing",
} as const;

/** For the agent. What is missing stands in the quoted log. */
export function looksLikeEnvironment(kind: keyof typeof MISSING): string {
  return `this looks like the environment: ${MISSING[kind]}. If so, you cannot fix it here: stop again and explain it to the user`;
}

/** For the user. @param isOlder whether the same failure is recorded from before the turn */
export function cannotWorkHere(
  { kind, line, name = "" }: { kind: keyof typeof MISSING; line: string; name?: string },
  isOlder: boolean
): string {
  if (kind === "key") {
    return `it may need ${name}, which checks do not get; if so, add "pass_env: [${name}]" to its definition: ${visible(line)}`;
  }
  const why = isOlder ? "not caused by the change" : "this looks like the environment";
  return `it cannot work here (${why}): ${visible(line)}`;
}

/** For the user (G48). */
export function vanishedTests(jobId: string, names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => `"${visible(name)}"`);
  const rest = names.length - shown.length;
  const more = rest > 0 ? ` … and ${rest} more` : "";
  return `${visible(jobId)}: ${plural(names.length, "test")} that ran at the last pass no longer ${names.length === 1 ? "runs" : "run"}: ${shown.join(", ")}${more}`;
}
