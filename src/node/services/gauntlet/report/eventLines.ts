/**
 * Formats a run's events as the plain lines that agents and scripts read (G30a). The name of a folder or a file cannot
 * create a line of its own.
 */
import { startOver, RUN_IN_PROGRESS } from "@/node/services/gauntlet/messages/shared";
import { plainText, visible } from "@/common/safeText";
import type { RunEvent, RunResult } from "@/node/services/gauntlet/domain/runResult";
import * as gateTypes from "@/node/services/gauntlet/domain/gate";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";

/** The ends of the lines `Status: …`, by status. A status without one ends with its message. */
const STATUS_LINES: Partial<Record<GauntletStatus, string>> = {
  passed: "Passed",
  passed_with_warnings: "Passed with warnings",
  failed: "Failed",
  retry_limit_exceeded: "Retry limit exceeded",
  no_changes: "No changes",
  no_applicable_gates: "No applicable gates",
};

/** Returns the lines of one event, without line breaks. */
export function eventLines(event: RunEvent): string[] {
  switch (event.type) {
    case "notice":
      return [`${event.level === "warning" ? "Warning: " : ""}${plainText(event.text)}`];
    case "plan":
      return [];
    case "gate-start":
      // Each slot of a review has its own lines.
      return event.job.gate.kind === "review" ? [] : [`[START] ${visible(event.job.id)}`];
    case "slot-start":
      return [`[START] ${slotName(event.job, event.slot)}`];
    case "slot-end":
      return resultLines({ ...event.slot, name: slotName(event.job, event.slot) });
    case "gate-end": {
      // The lines of a review's slots contain everything.
      const { slots = [], jobId } = event.result;
      return slots.length > 0 ? [] : resultLines({ ...event.result, name: visible(jobId) });
    }
    case "run-end":
      return summaryLines(event.result);
  }
}

/** Returns the name of a slot: `review:src:security (claude@1)`. */
function slotName(
  { id }: gateTypes.Job,
  { reviewer, slot }: Pick<gateTypes.SlotResult, "reviewer" | "slot">
): string {
  return visible(`${id} (${reviewer}@${slot})`);
}

type GateLine = Pick<
  gateTypes.GateResult,
  "durationMs" | "message" | "explanation" | "logPath" | "cachedSince" | "flaky" | "runs"
> & {
  readonly name: string;
  readonly outcome: gateTypes.GateResult["outcome"] | gateTypes.SlotResult["outcome"];
  readonly jsonPath?: string;
};

function resultLines(result: GateLine): string[] {
  const { name, durationMs, cachedSince, logPath, jsonPath } = result;
  const message = result.message === undefined ? undefined : visible(result.message);
  const time = `(${(durationMs / 1000).toFixed(2)}s)`;
  const { text, about = [] } = result.explanation ?? {};
  const words = [message, text && [text, ...about.map(visible)].join(" ")];
  const shown = words.filter((part) => part !== undefined).join("; ");
  const why = shown === "" ? "" : ` - ${shown}`;
  const log = logPath === undefined ? [] : [`      Log: ${visible(logPath)}`];
  switch (result.outcome) {
    case "passed": {
      if (cachedSince !== undefined) return [`[PASS]  ${name} (cached, passed at ${cachedSince})`];
      const { flaky, runs = 2 } = result;
      const note = flaky === true ? ` (flaky: failed, then passed on run ${runs})` : "";
      return [`[PASS]  ${name} ${time}${note}${jsonPath === undefined ? "" : why}`];
    }
    case "prior_pass":
      return [`[PASS]  ${name} (passed in an earlier run, not reviewed again)`];
    case "known":
      return [`[KNOWN] ${name} ${time}${why}`, ...log];
    case "failed":
    case "error": {
      const label = result.outcome === "failed" ? "[FAIL] " : "[ERROR]";
      const lines = jsonPath === undefined ? log : [`      Review: ${visible(jsonPath)}`];
      return [`${label} ${name} ${time}${why}`, ...lines];
    }
    case "skipped":
    case "cancelled":
    case "no_files":
      return [`[SKIP]  ${name} - ${message ?? result.outcome}`];
  }
}

function summaryLines(result: RunResult): string[] {
  const { gates, attempt, fixed, skipped } = result;
  const failed = gates.filter(gateTypes.isFailure);
  const lines = [
    "",
    `Iteration ${attempt ?? 1}:`,
    ...resolvedLines(result),
    `Total: ${fixed.length} fixed, ${skipped.length} skipped, ${failed.length} failed`,
  ];
  return [...(gates.length === 0 ? [] : lines), ...verdictLines(result)];
}

/** Returns a line for each gate or violation that was unresolved and is not any more. */
export function resolvedLines({ fixed, skipped }: RunResult): string[] {
  return [
    ...fixed.map((id) => `  ✓ Fixed: ${visible(id)}`),
    ...skipped.flatMap(({ issue, reason }) => [
      `  ⊘ Skipped: ${visible(issue)}`,
      `      Reason: ${visible(reason)}`,
    ]),
  ];
}

/** Returns the closing lines. The last one is the `Status:` line if the status has one. */
export function verdictLines({ status, message, errorMessage, caveat }: RunResult): string[] {
  const line = STATUS_LINES[status];
  if (status === "lock_exists") {
    return [
      RUN_IN_PROGRESS,
      ...(errorMessage === undefined ? [] : [`      ${visible(errorMessage)}`]),
    ];
  }
  // A list of problems with positions is printed by itself, not within a sentence.
  if (errorMessage?.includes("\n"))
    return [plainText(errorMessage), "The changes were not verified."];
  if (line === undefined) return [plainText(message)];
  return [
    ...(caveat === undefined ? [] : [`Note: ${plainText(caveat)}`]),
    ...(status === "retry_limit_exceeded"
      ? [`Human review is needed: no gate runs again in this turn; ${startOver()}.`]
      : []),
    `Status: ${line}`,
  ];
}
