import { formatDiagnostic, type LocatedDiagnostic } from "@/common/diagnostics";
import { describeResult } from "@/node/services/gauntlet/domain/describeResult";
import { hasGivenResult, isFailure } from "@/node/services/gauntlet/domain/gate";
import { describeDiagnostics } from "@/node/services/gauntlet/config/source/diagnostic";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

type ResultDetails = Omit<RunResult, "status" | "message" | "gatesRun" | "gatesFailed">;

/** Creates a result. Derives the message and the counts from the rest. */
export function createResult(
  status: GauntletStatus,
  known: Partial<ResultDetails> = {}
): RunResult {
  const facts = { gates: [], fixed: [], skipped: [], warnings: [], ...known };
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
  const [first] = problems.filter(({ severity }) => severity === "error");
  const heading = configInvalid(first && formatDiagnostic(first));
  return createResult("error", { errorMessage: `${heading}\n${describeDiagnostics(problems)}` });
}

/** @param problem the first error */
function configInvalid(problem: string | undefined): string {
  return `the configuration is invalid${problem === undefined ? "" : `: ${problem}`}`;
}
