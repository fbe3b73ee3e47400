import { describeResult } from "@/node/services/gauntlet/domain/messages";
import { isFailure } from "@/node/services/gauntlet/domain/gate";
import { formatProblem, type ConfigProblem } from "@/node/services/gauntlet/config/problem";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/status";

type Known = Omit<RunResult, "status" | "message" | "gatesRun" | "gatesFailed">;

/** A result of which the message and the counts follow from the rest. */
export function resultOf(status: GauntletStatus, known: Partial<Known> = {}): RunResult {
  const facts = { gates: [], fixed: [], skipped: [], ...known };
  return {
    status,
    message: describeResult(status, facts),
    gatesRun: facts.gates.filter(({ outcome }) => outcome !== "skipped" && outcome !== "cancelled")
      .length,
    gatesFailed: facts.gates.filter(isFailure).length,
    ...facts,
  };
}

export function invalidConfig(problems: readonly ConfigProblem[]): RunResult {
  const lines = ["the configuration is invalid", ...problems.map(formatProblem)];
  return resultOf("error", { errorMessage: lines.join("\n") });
}
