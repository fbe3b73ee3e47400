/** Adds its findings to the result of a failed check. The parsers are only loaded then (G37). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { FindingsSource } from "@/node/services/gauntlet/domain/findings/finding";
import type { CheckDefinition, GateResult } from "@/node/services/gauntlet/domain/gate";

interface FindingsContext {
  readonly projectDir: string;
  /** The absolute folder in which the command runs. */
  readonly folder: string;
  readonly logPath: string;
  readonly findingsPath?: string;
  readonly isChanged?: (file: string) => boolean;
}

/**
 * Remembers the reports of earlier commands, and returns the function that adds the findings after the command ended.
 * That function never rejects, and changes no outcome.
 */
export async function prepareFindings(
  runtime: HookRuntime,
  { findings: sources }: Pick<CheckDefinition, "findings">,
  { projectDir, folder, logPath, findingsPath, isChanged = () => false }: FindingsContext
): Promise<(result: GateResult) => Promise<GateResult>> {
  const reports = hasGlob(sources) ? await stampsOf(runtime, folder, sources) : new Map();
  const request = { sources, projectDir, folder, logPath, findingsPath, reports, isChanged };
  return async (result) => {
    if (result.outcome !== "failed") return result;
    const { collectFindings } =
      await import("@/node/services/gauntlet/gates/findings/collectFindings");
    return { ...result, ...(await collectFindings(runtime, request)) };
  };
}

function hasGlob(sources: readonly FindingsSource[] | undefined): boolean {
  return sources?.some((source) => source.kind === "report" && source.glob !== undefined) ?? false;
}

async function stampsOf(
  runtime: HookRuntime,
  folder: string,
  sources: readonly FindingsSource[] | undefined
) {
  const { globsOf, stampReports } =
    await import("@/node/services/gauntlet/gates/findings/reportFiles");
  return await stampReports(runtime, folder, globsOf(sources));
}
