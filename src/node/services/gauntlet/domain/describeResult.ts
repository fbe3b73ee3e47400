/** Summarizes a run in one line (G25). */
import { ownCommand } from "@/common/ownCommand";
import {
  ALL_PASSED,
  NO_CONFIG,
  NO_GATES_MATCH,
  startOver,
  turnedOffBy,
} from "@/node/services/gauntlet/messages/status";
import { clip, plural } from "@/common/text";
import { MAX_UNCHANGED_STOPS } from "@/node/services/gauntlet/domain/episode";
import { isFailure } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

export type ResultSummary = Pick<
  RunResult,
  "gates" | "skipped" | "attempt" | "maxAttempts" | "errorMessage" | "openGates" | "unchangedStops"
>;

export function describeResult(status: GauntletStatus, summary: ResultSummary): string {
  const { errorMessage } = summary;
  switch (status) {
    case "passed":
      return `${ALL_PASSED}${filesNote(summary)}`;
    case "passed_with_warnings":
      return `${passedWithWarnings(summary)}${filesNote(summary)}`;
    case "no_applicable_gates":
      return `${NO_GATES_MATCH}${filesNote(summary)}`;
    case "no_changes":
      return "no changes";
    case "failed":
      return describeFailure(summary);
    case "retry_limit_exceeded":
      return describeExhaustion(summary);
    case "infrastructure_error":
    case "error":
      return `${errorMessage?.split("\n", 1)[0] ?? "the run failed for an unknown reason"}; the changes were not verified`;
    case "lock_exists":
      return `another gauntlet is already running${errorMessage === undefined ? "" : `: ${errorMessage}`}; no gate was run; the next stop runs them`;
    case "no_config":
      return NO_CONFIG;
    case "stop_hook_active":
      return (
        errorMessage ??
        "allowed to prevent an infinite loop: a Stop hook is already active, so this stop was not checked"
      );
    case "stop_hook_disabled":
      return errorMessage ?? turnedOffBy();
    case "interval_not_elapsed":
      return (
        errorMessage ?? "no gate was run, because the minimum time between two runs has not passed"
      );
    case "postponed":
      return errorMessage ?? "postponed: the agent waits for agents in the background";
    case "invalid_input":
      return 'the input could not be parsed: the standard input of "agent-gauntlet stop-hook" must be one JSON object';
  }
}

/** Returns the number of gates without files, or an empty text. They did not pass. */
function filesNote({ gates }: ResultSummary): string {
  const count = gates.filter(({ outcome }) => outcome === "no_files").length;
  return count === 0 ? "" : `, ${plural(count, "gate")} had no files`;
}

function describeFailure({ gates, attempt, maxAttempts }: ResultSummary): string {
  const failed = gates.filter(isFailure);
  const count = maxAttempts === undefined ? "" : `, attempt ${attempt ?? 1} of ${maxAttempts}`;
  if (failed.length === 0) return `earlier failures are not resolved${count}`;
  const names = failed.map(({ jobId }) => jobId);
  return `${names.length} of ${plural(gates.length, "gate")} failed: ${names.join(", ")}${count}`;
}

function describeExhaustion({ gates, openGates, unchangedStops = 0 }: ResultSummary): string {
  const failed = openGates ?? gates.filter(isFailure);
  const names = failed.map(({ jobId }) => jobId).join(", ");
  const shown = clip(names, MAX_NAMES_CHARS);
  const ways = `${startOver()}${pauseOffer(failed.at(0)?.jobId)}`;
  if (unchangedStops >= MAX_UNCHANGED_STOPS)
    return `not verified: no file changed since the gates failed, and the agent stopped; unresolved: ${shown}; ${ways}`;
  const open = shown === "" ? "" : `; unresolved: ${shown}`;
  return `retry limit exceeded, human review needed${open}; ${ways}`;
}

const MAX_NAMES_CHARS = 2_000;

function passedWithWarnings({ skipped, gates }: ResultSummary): string {
  const flaky = gates.filter((gate) => gate.flaky === true).length;
  const known = gates.reduce((sum, gate) => sum + (gate.known?.count ?? 0), 0);
  const fixed = new Set(gates.flatMap(({ fixedFiles = [] }) => fixedFiles)).size;
  return [
    known === 0 ? ALL_PASSED : `no new failure, ${plural(known, "known failure")}`,
    ...(skipped.length === 0 ? [] : [`${plural(skipped.length, "issue")} skipped`]),
    ...(flaky === 0 ? [] : [plural(flaky, "flaky check")]),
    ...(fixed === 0 ? [] : [`${plural(fixed, "file")} fixed`]),
  ].join(", ");
}

/** Offers a pause of a gate. Only the user sees the message at the retry limit (G42). */
function pauseOffer(jobId: string | undefined): string {
  const name = /:([\w.-]+)$/.exec(jobId ?? "")?.[1];
  if (name === undefined) return "";
  return `; to skip a gate for a turn, run "${ownCommand()} pause --gate ${name}" in a terminal`;
}
