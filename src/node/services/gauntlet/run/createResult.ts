/**
 * Creates the result of a run or of an invalid configuration, and the failed gate `config` of a configuration that was
 * valid and no longer is (G20a).
 */
import { definedOnly } from "@/common/definedOnly";
import { formatDiagnostic, type LocatedDiagnostic } from "@/common/diagnostics";
import { describeResult } from "@/node/services/gauntlet/domain/stopAudience";
import { hasGivenResult, isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";
import { describeDiagnostics } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";

/** Creates a result. Derives the message and the counts from the rest. */
export function createResult(
  status: GauntletStatus,
  known: Partial<Omit<RunResult, "status" | "message" | "gatesRun" | "gatesFailed">> = {}
): RunResult {
  const facts = { gates: [], fixed: [], skipped: [], warnings: [], ...definedOnly(known) };
  return {
    status,
    message: describeResult(status, facts),
    gatesRun: facts.gates.filter(hasGivenResult).length,
    gatesFailed: facts.gates.filter(isFailure).length,
    ...facts,
  };
}

/** Creates the result for an invalid configuration. Its first line names the first problem; all of them follow. */
export function invalidConfig(problems: readonly LocatedDiagnostic[]): RunResult {
  const first = problems.find(({ severity }) => severity === "error");
  const heading = `the configuration is invalid${first === undefined ? "" : `: ${formatDiagnostic(first)}`}`;
  return createResult("error", { errorMessage: `${heading}\n${describeDiagnostics(problems)}` });
}

/** Creates the failed gate of a configuration that was valid before and is broken now (G20a, G24). */
export function configFailure(message: string): GateResult {
  return {
    jobId: "config",
    kind: "check",
    gate: "config",
    entryPoint: ".",
    outcome: "failed",
    durationMs: 0,
    message,
  };
}
