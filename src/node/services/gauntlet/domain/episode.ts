/**
 * Determines the status of a run, and updates its episode: the failed runs and unresolved gates since the last pass,
 * `clean` command or change of branch (G19, G19a). Also decides when a turn may have no further failed stops, and makes
 * the digests by which failures are compared.
 */
import { sha256 } from "@/common/hash";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import { isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";

/** The part of an episode that is kept between runs. */
export interface Episode {
  /** The number of its full runs that failed. */
  readonly attempt: number;
  /** IDs of jobs whose last run in the episode did not pass. */
  readonly unresolved: readonly string[];
}

export const NEW_EPISODE: Episode = { attempt: 0, unresolved: [] };

/** Returns whether an earlier run did not pass, so that checks use their `rerun_command` (G4). */
export function isRerun({ attempt, unresolved }: Episode): boolean {
  return attempt > 0 || unresolved.length > 0;
}

/** The results of a run, as far as its episode and status depend on them. */
export interface RunOutcome {
  readonly results: readonly GateResult[];
  /** Whether it had every job of a default run. */
  readonly whole: boolean;
  /** Whether its base is not that of a stop, so that a check that fails in it does not become unresolved. */
  readonly isOther?: boolean;
  /** The cause, if it was ended before its gates finished. */
  readonly ended?: "person" | "limit" | undefined;
}

/** Returns the episode after a run. A partial run adds its failures, but resolves and counts nothing (G20a). */
export function episodeAfter(before: Episode, outcome: RunOutcome): Episode {
  const { results, whole, ended, isOther = false } = outcome;
  const failing = results.filter(isUnresolved);
  const isOpened = ({ jobId, kind }: GateResult): boolean =>
    !isOther || kind !== "check" || before.unresolved.includes(jobId);
  const notPassed = failing.filter(isOpened).map(({ jobId }) => jobId);
  const resolved = new Set(results.filter((result) => !isUnresolved(result)).map((r) => r.jobId));
  const stillUnresolved = before.unresolved.filter((id) => !(whole && resolved.has(id)));
  const unresolved = [...new Set([...stillUnresolved, ...notPassed])];
  if (notPassed.length < failing.length) return { attempt: before.attempt, unresolved };
  if (unresolved.length === 0 && whole && ended === undefined) return NEW_EPISODE;
  // A failure counts even if nothing had to run again (G19), but not if the user ended the run (G28).
  const failed = isWrong({ results, ended }, unresolved);
  const counts = whole && failed && ended !== "person";
  return { attempt: before.attempt + (counts ? 1 : 0), unresolved };
}

/** Adds the unresolved gates that did not run this time, which another run has to resolve. */
export function keepUnresolved(after: Episode, before: Episode, ids: readonly string[]): Episode {
  if (ids.length === 0) return after;
  const attempt = Math.max(after.attempt, before.attempt);
  return { attempt, unresolved: [...new Set([...after.unresolved, ...ids])] };
}

/** The failed stops of the user's turn before this one, and the allowed number (G19). Absent for a manual run. */
export interface RetryCount {
  readonly failed: number;
  readonly maxRetries: number;
  /** Whether the previous stop failed only because of the time limit (G27c). */
  readonly byLimit: boolean;
  /** The failed stops of the turn, with this one, if all of them had this tree and these failures; else 0. */
  readonly unchanged: number;
}

/** Failed stops of a turn on one tree, of which the last one lets the agent stop (G19). */
export const MAX_UNCHANGED_STOPS = 3;

/** Returns the status of a run with gates, given the episode after it. A manual run never exceeds the retry limit. */
export function statusOf(
  { results, whole, ended }: RunOutcome,
  after: Episode,
  retries?: RetryCount
): GauntletStatus {
  if (ended === "person") return "infrastructure_error";
  if (isWrong({ results, ended }, whole ? after.unresolved : [])) {
    return whole && retries !== undefined && isLastRetry(retries, results)
      ? "retry_limit_exceeded"
      : "failed";
  }
  const isDone = ended === undefined && !results.some(isFailure);
  if (!isDone) return "infrastructure_error";
  const hasNoFiles = results.length > 0 && results.every(({ outcome }) => outcome === "no_files");
  return hasNoFiles ? "no_applicable_gates" : "passed";
}

function isLastRetry(
  { failed, maxRetries, byLimit, unchanged }: RetryCount,
  results: readonly GateResult[]
): boolean {
  if (isExhausted(failed + 1, maxRetries) || unchanged >= MAX_UNCHANGED_STOPS) return true;
  return byLimit && failedByLimit(results);
}

/** Returns whether a turn may have no further failed stops (G19). */
export function isExhausted(failed: number, maxRetries: number): boolean {
  return failed > maxRetries;
}

/** Returns whether the run's time limit caused every failure, and there was one (G27c). */
export function failedByLimit(results: readonly GateResult[]): boolean {
  const failures = results.filter(isFailure);
  return failures.length > 0 && failures.every(({ overLimit }) => overLimit === true);
}

/** Returns whether something is wrong that an agent can fix. An unreachable gate is not (G13). */
function isWrong(
  { results, ended }: Omit<RunOutcome, "whole">,
  unresolved: readonly string[]
): boolean {
  const failures = results.filter(isFailure);
  const outOfReach = new Set(
    failures.filter(({ unreachable }) => unreachable === true).map(({ jobId }) => jobId)
  );
  if (failures.some(({ jobId }) => !outOfReach.has(jobId))) return true;
  return ended === undefined && unresolved.some((id) => !outOfReach.has(id));
}

/**
 * Returns whether a gate is unresolved after a run. One that was cancelled or never started is, because that proves
 * nothing. One without files is not, because nothing is left that it rejected (G32), nor is one with only known
 * failures (G45).
 */
export function isUnresolved({ outcome }: Pick<GateResult, "outcome">): boolean {
  return outcome !== "passed" && outcome !== "no_files" && outcome !== "known";
}

/** Returns a digest of what failed, why and with which findings. Durations, paths of logs and output do not count. */
export function failuresDigest(gates: readonly GateResult[]): string {
  const failed = gates
    .filter(isFailure)
    .map(({ jobId, outcome, message, slots, findings }) => [
      jobId,
      outcome,
      message ?? "",
      (slots ?? []).map(({ slot, outcome: of, message: why }) => [slot, of, why ?? ""]),
      findingsDigest(findings) ?? "",
    ])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return sha256(JSON.stringify(failed), 32);
}

/** Returns the same digest for the same findings in any order. Without findings, returns undefined. */
export function findingsDigest(findings: readonly Finding[] | undefined): string | undefined {
  if (findings === undefined || findings.length === 0) return undefined;
  const rows = findings.map(({ file, line, column, severity, rule, message }) =>
    JSON.stringify([file ?? null, line ?? 0, column ?? 0, severity, rule ?? null, message])
  );
  return sha256([...new Set(rows)].sort().join("\n"), 32);
}
