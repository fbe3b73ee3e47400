/** Summarizes a run in one line (G25). */
import { clip, plural } from "@/common/text";
import { isFailure } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

export type ResultSummary = Pick<
  RunResult,
  "gates" | "skipped" | "attempt" | "maxAttempts" | "errorMessage" | "openGates"
>;

export function describeResult(status: GauntletStatus, summary: ResultSummary): string {
  switch (status) {
    case "passed":
      return "all gates passed";
    case "passed_with_warnings":
      return `all gates passed, ${plural(summary.skipped.length, "issue")} skipped`;
    case "no_applicable_gates":
      return "no gates match the changed files";
    case "no_changes":
      return "no changes";
    case "failed":
      return describeFailure(summary);
    case "retry_limit_exceeded":
      return describeExhaustion(summary);
    case "infrastructure_error":
    case "error":
      return `${firstLine(summary.errorMessage) ?? "it failed for no reason that is known"}; the changes were not verified`;
    case "lock_exists":
      return `another gauntlet is already running${summary.errorMessage === undefined ? "" : `: ${summary.errorMessage}`}`;
    case "no_config":
      return "not a gauntlet-enabled project: there is no .gauntlet/config.yml";
    case "stop_hook_active":
      return "allowed to prevent an infinite loop: a stop hook has asked for this turn already";
    case "stop_hook_disabled":
      return `turned off by ${summary.errorMessage ?? "the configuration"}`;
    case "interval_not_elapsed":
      return summary.errorMessage ?? "the last run is too recent";
    case "invalid_input":
      return "the input could not be parsed";
  }
}

function describeFailure({ gates, attempt, maxAttempts }: ResultSummary): string {
  const failed = gates.filter(isFailure);
  const names = failed.map(({ jobId }) => jobId).join(", ");
  const of = maxAttempts === undefined ? "" : `, attempt ${attempt ?? 1} of ${maxAttempts}`;
  if (failed.length === 0) return `earlier failures are still open${of}`;
  return `${failed.length} of ${plural(gates.length, "gate")} failed: ${names}${of}`;
}

function describeExhaustion({ gates, openGates }: ResultSummary): string {
  const failed = openGates ?? gates.filter(isFailure);
  const names = failed.map(({ jobId }) => jobId).join(", ");
  const unresolvedNames = names === "" ? "" : `; open: ${clip(names, MAX_NAMES_CHARS)}`;
  return `retry limit exceeded, human review needed${unresolvedNames}; a new message or agent-gauntlet clean begins anew`;
}

const MAX_NAMES_CHARS = 2_000;

function firstLine(text: string | undefined): string | undefined {
  return text?.split("\n", 1)[0];
}
