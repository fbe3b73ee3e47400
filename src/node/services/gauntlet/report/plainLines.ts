/** What a run tells, as the plain lines that agents and scripts read (G30a). */
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import { isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

/** The lines of one event, without line ends. */
export function plainLines(event: RunEvent): string[] {
  switch (event.type) {
    case "notice":
      return [event.level === "warning" ? `Warning: ${event.text}` : event.text];
    case "plan":
      return [];
    case "gate-start":
      return [`[START] ${event.job.id}`];
    case "gate-end":
      return gateLines(event.result);
    case "run-end":
      return summaryLines(event.result);
  }
}

function gateLines(result: GateResult): string[] {
  const { jobId, durationMs, message, logPath, cachedSince } = result;
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
      const log = logPath === undefined ? [] : [`      Log: ${logPath}`];
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

function summaryLines({ status, message, gates, attempt, fixed, skipped }: RunResult): string[] {
  const failed = gates.filter(isFailure);
  const iteration = [
    "",
    `Iteration ${attempt ?? 1}:`,
    ...fixed.map((id) => `  ✓ Fixed: ${id}`),
    ...skipped.map((id) => `  ⊘ Skipped: ${id}`),
    `Total: ${fixed.length} fixed, ${skipped.length} skipped, ${failed.length} failed`,
  ];
  const line = STATUS_LINES[status];
  return [
    ...(gates.length === 0 ? [] : iteration),
    line === undefined ? message : `Status: ${line}`,
  ];
}
