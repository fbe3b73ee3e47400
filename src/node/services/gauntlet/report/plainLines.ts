/**
 * What a run tells, as the plain lines that agents and scripts read (G30a). No name of a folder or a file can make a line
 * of its own.
 */
import { plainText, visible } from "@/common/text";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import { isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

/** The lines of one event, without line ends. */
export function plainLines(event: RunEvent): string[] {
  switch (event.type) {
    case "notice":
      return [`${event.level === "warning" ? "Warning: " : ""}${plainText(event.text)}`];
    case "plan":
      return [];
    case "gate-start":
      return [`[START] ${visible(event.job.id)}`];
    case "gate-end":
      return gateLines(event.result);
    case "run-end":
      return summaryLines(event.result);
  }
}

function gateLines(result: GateResult): string[] {
  const { durationMs, cachedSince } = result;
  const jobId = visible(result.jobId);
  const message = result.message === undefined ? undefined : visible(result.message);
  const time = `(${(durationMs / 1000).toFixed(2)}s)`;
  switch (result.outcome) {
    case "passed":
      return cachedSince === undefined
        ? [`[PASS]  ${jobId} ${time}`]
        : [`[PASS]  ${jobId} (cached, passed at ${cachedSince})`];
    case "failed":
    case "error": {
      const label = result.outcome === "failed" ? "[FAIL] " : "[ERROR]";
      const why = message === undefined ? "" : ` - ${message}`;
      const { logPath } = result;
      const log = logPath === undefined ? [] : [`      Log: ${visible(logPath)}`];
      return [`${label} ${jobId} ${time}${why}`, ...log];
    }
    case "skipped":
    case "cancelled":
      return [`[SKIP]  ${jobId} - ${message ?? result.outcome}`];
  }
}

const STATUS_LINES: Partial<Record<GauntletStatus, string>> = {
  passed: "Passed",
  passed_with_warnings: "Passed with warnings",
  failed: "Failed",
  retry_limit_exceeded: "Retry limit exceeded",
  no_changes: "No changes",
  no_applicable_gates: "No applicable gates",
};

function summaryLines(result: RunResult): string[] {
  const { gates, attempt, fixed, skipped } = result;
  const failed = gates.filter(isFailure);
  const iteration = [
    "",
    `Iteration ${attempt ?? 1}:`,
    ...fixed.map((id) => `  ✓ Fixed: ${visible(id)}`),
    ...skipped.map((id) => `  ⊘ Skipped: ${visible(id)}`),
    `Total: ${fixed.length} fixed, ${skipped.length} skipped, ${failed.length} failed`,
  ];
  return [...(gates.length === 0 ? [] : iteration), ...verdictLines(result)];
}

/** The last of them is the `Status:` line, where the status has one. */
function verdictLines({ status, message, errorMessage }: RunResult): string[] {
  const line = STATUS_LINES[status];
  if (status === "lock_exists") {
    return [
      "A gauntlet run is already in progress",
      ...(errorMessage === undefined ? [] : [`      ${visible(errorMessage)}`]),
    ];
  }
  // A list of problems with their places stands by itself, rather than within a sentence.
  if (errorMessage?.includes("\n"))
    return [plainText(errorMessage), "The changes were not verified."];
  if (line === undefined) return [plainText(message)];
  return [...(status === "retry_limit_exceeded" ? [RETRY_HINT] : []), `Status: ${line}`];
}

const RETRY_HINT =
  "A person has to look at this: no gate runs any more. agent-gauntlet clean begins anew.";
