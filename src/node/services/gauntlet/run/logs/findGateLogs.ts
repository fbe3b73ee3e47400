/** Finds the logs of unresolved gates. The reports record which log belongs to which gate. */
import { posix } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { listFolder, reportName, runNumberOf } from "@/node/services/gauntlet/state/runFiles";

/** Maximum number of reports to read. An episode has few runs, but a folder can contain many files. */
const MAX_REPORTS = 50;
const MAX_REPORT_BYTES = 8 * MIB;

/** Returns the latest log of each of these gates, by job ID, if the file still exists. */
export async function openLogs(
  files: Files,
  logDir: string,
  unresolved: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const logs = new Map<string, string>();
  const wanted = new Set(unresolved);
  for (const run of await latestReports(files, logDir)) {
    if (wanted.size === 0) break;
    for (const { jobId, logPath } of await readReport(files, posix.join(logDir, reportName(run)))) {
      if (wanted.delete(jobId)) logs.set(jobId, logPath);
    }
  }
  const stats = await files.stat([...logs.values()]);
  return new Map([...logs].filter((_, i) => stats[i]?.kind === "file"));
}

/** Returns the numbers of the runs with a report in a folder, the latest first. */
export async function latestReports(files: Files, logDir: string): Promise<number[]> {
  const names = (await listFolder(files, logDir)).unwrapOr([]);
  const runs = names.flatMap((name) => {
    const run = runNumberOf(name);
    return run !== undefined && name === reportName(run) ? [run] : [];
  });
  return runs.sort((a, b) => b - a).slice(0, MAX_REPORTS);
}

async function readReport(
  files: Files,
  path: string
): Promise<{ readonly jobId: string; readonly logPath: string }[]> {
  const read = await files.readFile(path, { maxBytes: MAX_REPORT_BYTES });
  const report = read
    .mapErr(({ message }) => message)
    .andThen((bytes) => parseJson(new TextDecoder().decode(bytes)))
    .unwrapOr(undefined);
  const gates: unknown = isJsonObject(report) ? report.gates : undefined;
  return (Array.isArray(gates) ? gates : []).flatMap((gate: unknown) => {
    if (!isJsonObject(gate)) return [];
    const { jobId, logPath } = gate;
    return typeof jobId === "string" && typeof logPath === "string" ? [{ jobId, logPath }] : [];
  });
}
