/** Adds its findings to the result of a failed check. The parsers are only loaded then (G37). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { FindingsSource } from "@/node/services/gauntlet/domain/findings/finding";
import type {
  CheckEvidence,
  LogFrame,
} from "@/node/services/gauntlet/gates/findings/collectFindings";
import type { ReportStamps } from "@/node/services/gauntlet/gates/findings/readReports";
import type { CheckDefinition, GateResult } from "@/node/services/gauntlet/domain/gate";

interface FindingsContext {
  readonly projectDir: string;
  /** The absolute folder in which the command runs. */
  readonly folder: string;
  readonly logPath: string;
  readonly findingsPath?: string;
  readonly isChanged?: (file: string) => boolean;
}

/** The result of a check, and what else its run shows. */
export interface CheckRun {
  readonly result: GateResult;
  /** Absent if it gave no verdict, or passed and probably runs no tests. */
  readonly evidence?: CheckEvidence;
}

/**
 * Remembers the reports of earlier commands, and returns the function that adds the findings after the command ended.
 * That function never rejects, and changes no outcome.
 */
export async function prepareFindings(
  runtime: HookRuntime,
  { findings: sources, command }: Pick<CheckDefinition, "findings" | "command">,
  { projectDir, folder, logPath, findingsPath, isChanged = () => false }: FindingsContext
): Promise<(result: GateResult, own: LogFrame) => Promise<CheckRun>> {
  let reports: ReportStamps = new Map();
  if (sources?.some((source) => source.kind === "report" && source.glob !== undefined) === true) {
    const { globsOf, stampReports } =
      await import("@/node/services/gauntlet/gates/findings/readReports");
    reports = await stampReports(runtime, folder, globsOf(sources));
  }
  const request = { sources, projectDir, folder, logPath, findingsPath, reports, isChanged };
  return async (result, own) => {
    const isNeeded =
      result.outcome === "failed" || (result.outcome === "passed" && namesTests(command, sources));
    if (!isNeeded || sources?.length === 0) return { result };
    const { collectFindings } =
      await import("@/node/services/gauntlet/gates/findings/collectFindings");
    const hasPassed = result.outcome === "passed";
    const collected = await collectFindings(runtime, { ...request, own, hasPassed });
    const { evidence } = collected;
    if (hasPassed) return { result, evidence };
    return { result: { ...result, ...collected.result }, evidence };
  };
}

/** Returns whether a command probably runs tests, whose names are recorded when it passes (G48). */
function namesTests(command: string, sources: readonly FindingsSource[] | undefined): boolean {
  return (
    sources?.some((source) => source.kind === "report" && source.format === "junit") ??
    TEST_COMMAND.test(command)
  );
}

const TEST_COMMAND = /test|spec|jest|mocha|phpunit|tox|nox|\bava\b|\btap\b|playwright|mvn|gradle/i;
