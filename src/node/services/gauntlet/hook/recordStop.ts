/** Records what a stop sends to the agent, and writes the reports of the configuration (G50). */
import { posix } from "node:path";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { ReportedRun } from "@/node/services/gauntlet/run/reports/report";
import { reasonName, runNumberOf } from "@/node/services/gauntlet/state/runFiles";

export interface StopRecord extends Omit<ReportedRun, "result" | "startedAt" | "durationMs"> {
  readonly config: GauntletConfig;
  readonly now: () => Date;
  /** When the stop began, on the clock of `performance`. */
  readonly beganMs: number;
}

export function recordStop(
  stop: StopRecord,
  result: RunResult
): { readonly record: (reason?: string) => Promise<string[]> } {
  return { record: async (reason) => await write(stop, result, reason) };
}

/** @returns a message for each file that could not be written */
async function write(
  { now, beganMs, ...stop }: StopRecord,
  result: RunResult,
  reason: string | undefined
): Promise<string[]> {
  const { runtime, config } = stop;
  if (result.consoleLogPath === undefined) return [];
  const problems: string[] = [];
  if (reason !== undefined) {
    const run = runNumberOf(posix.basename(result.consoleLogPath)) ?? 0;
    const path = posix.join(posix.dirname(result.consoleLogPath), reasonName(run));
    const written = await runtime.writeFile(path, `${reason}\n`, { isDisposable: true });
    if (written.isErr()) problems.push(written.error.message);
  }
  if (config.reports === undefined) return problems;
  // Loaded late, because most stops write no report.
  const { writeConfigured } = await import("@/node/services/gauntlet/run/reports/writeReports");
  const durationMs = performance.now() - beganMs;
  const startedAt = new Date(now().getTime() - durationMs);
  const run = { ...stop, result, startedAt, durationMs };
  return [...problems, ...(await writeConfigured(run, config))];
}
