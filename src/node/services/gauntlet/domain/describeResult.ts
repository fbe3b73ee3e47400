/** Summarizes a run in one line (G25). */
import { clip } from "@/common/text";
import { MAX_UNCHANGED_STOPS } from "@/node/services/gauntlet/domain/episode";
import { isFailure } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";
import * as messages from "@/node/services/gauntlet/messages/status";

export type ResultSummary = Pick<
  RunResult,
  "gates" | "skipped" | "attempt" | "maxAttempts" | "errorMessage" | "openGates" | "unchangedStops"
>;

export function describeResult(status: GauntletStatus, summary: ResultSummary): string {
  const { errorMessage } = summary;
  switch (status) {
    case "passed":
      return `${messages.ALL_PASSED}${filesNote(summary)}`;
    case "passed_with_warnings":
      return `${messages.passedWithWarnings({
        skipped: summary.skipped.length,
        flaky: summary.gates.filter(({ flaky }) => flaky === true).length,
        known: summary.gates.reduce((sum, { known }) => sum + (known?.count ?? 0), 0),
        fixed: new Set(summary.gates.flatMap(({ fixedFiles = [] }) => fixedFiles)).size,
      })}${filesNote(summary)}`;
    case "no_applicable_gates":
      return `${messages.NO_GATES_MATCH}${filesNote(summary)}`;
    case "no_changes":
      return messages.NO_CHANGES;
    case "failed":
      return describeFailure(summary);
    case "retry_limit_exceeded":
      return describeExhaustion(summary);
    case "infrastructure_error":
    case "error":
      return messages.notVerified(firstLine(errorMessage));
    case "lock_exists":
      return messages.anotherRun(errorMessage);
    case "no_config":
      return messages.NO_CONFIG;
    case "stop_hook_active":
      return errorMessage ?? messages.STOP_HOOK_ACTIVE;
    case "stop_hook_disabled":
      return errorMessage ?? messages.turnedOffBy();
    case "interval_not_elapsed":
      return errorMessage ?? messages.TOO_RECENT;
    case "postponed":
      return errorMessage ?? messages.POSTPONED;
    case "invalid_input":
      return messages.INVALID_INPUT;
  }
}

/** Returns the number of gates without files, or an empty text. They did not pass. */
function filesNote({ gates }: ResultSummary): string {
  const count = gates.filter(({ outcome }) => outcome === "no_files").length;
  return count === 0 ? "" : messages.withoutFiles(count);
}

function describeFailure({ gates, attempt, maxAttempts }: ResultSummary): string {
  const failed = gates.filter(isFailure);
  const count = maxAttempts === undefined ? "" : messages.attemptOf(attempt ?? 1, maxAttempts);
  if (failed.length === 0) return messages.earlierFailures(count);
  const names = failed.map(({ jobId }) => jobId);
  return messages.gatesFailed(names, gates.length, count);
}

function describeExhaustion({ gates, openGates, unchangedStops = 0 }: ResultSummary): string {
  const failed = openGates ?? gates.filter(isFailure);
  const names = failed.map(({ jobId }) => jobId).join(", ");
  const shown = clip(names, MAX_NAMES_CHARS);
  return unchangedStops < MAX_UNCHANGED_STOPS
    ? messages.retryLimitExceeded(shown)
    : messages.unchangedAndUnverified(shown);
}

const MAX_NAMES_CHARS = 2_000;

function firstLine(text: string | undefined): string | undefined {
  return text?.split("\n", 1)[0];
}
