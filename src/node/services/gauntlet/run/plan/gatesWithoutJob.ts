/**
 * Decides what happens to unresolved gates for which a run has no job: those that failed in this turn block as failed
 * gates, earlier ones are named in a warning, and those that a trusted configuration no longer defines are closed
 * (G18a). Also finds the latest logs of unresolved gates.
 */
import { posix } from "node:path";
import { isJsonObject, objectOf } from "@/common/json";
import { MIB } from "@/common/limits";
import { shownCommand } from "@/common/ownCommandName";
import type { Files } from "@/node/runtime/HookRuntime";
import { readJson } from "@/node/runtime/fileContents";
import * as gateTypes from "@/node/services/gauntlet/domain/gate";
import type { OpenGate } from "@/node/services/gauntlet/domain/runResult";
import { NO_LONGER_APPLIES } from "@/node/services/gauntlet/messages/shared";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { listFolder, reportName, runNumberOf } from "@/node/services/gauntlet/state/runFiles";
import { isOfTurn } from "@/node/services/gauntlet/turn/StopHistory";

export interface UnresolvedSplit {
  /** Failed in the user's turn that the stop belongs to: they block. */
  readonly blocking: readonly string[];
  /** Failed earlier, or in another turn: they stay unresolved and are only named. */
  readonly dormant: readonly string[];
  /** No longer defined by a configuration that a user trusted: they are closed. */
  readonly closed: readonly string[];
}

/**
 * Splits the unresolved gates that no longer apply.
 *
 * @param gone IDs of unresolved gates for which the run has no job
 */
export function splitUnresolved(
  gone: readonly string[],
  { failures }: Pick<ExecutionState, "failures">,
  { stop, isTrusted = false }: Pick<RunOptions, "stop" | "isTrusted">,
  defined: readonly gateTypes.GateDefinition[]
): UnresolvedSplit {
  const isDefined = (id: string): boolean =>
    defined.some((gate) => gateTypes.folderOfJob(id, gate) !== undefined);
  const isOfStop = (id: string): boolean => isOfTurn(failures[id], stop);
  const unresolved = isTrusted ? gone.filter(isDefined) : gone;
  return {
    blocking: unresolved.filter(isOfStop),
    dormant: unresolved.filter((id) => !isOfStop(id)),
    closed: gone.filter((id) => !unresolved.includes(id)),
  };
}

/** Returns a failed gate for each gate that was failing in this turn and no longer has a job. */
export async function goneGates(
  files: Files,
  logDir: string,
  ids: readonly string[]
): Promise<gateTypes.GateResult[]> {
  const gates = ids.length === 0 ? [] : await withLogs(files, logDir, ids);
  return gates.map(({ jobId, logPath }) => {
    const [kind = "", ...rest] = jobId.split(":");
    return {
      jobId,
      kind: kind === "review" ? "review" : "check",
      gate: rest.at(-1) ?? jobId,
      entryPoint: rest.slice(0, -1).join(":") || ".",
      outcome: "failed",
      durationMs: 0,
      message: NO_LONGER_APPLIES,
      logPath,
    };
  });
}

/** Returns the warning about an unresolved gate of an earlier turn or another branch (G18a). */
export function describeDormant(
  id: string,
  { failures }: Pick<ExecutionState, "failures">
): string {
  const branch = failures[id]?.branch;
  const on = branch === undefined ? "" : ` on branch ${branch}`;
  return `${id} was failing${on} and no longer applies (its folder or its definition does not exist here), so it was not run; to discard this failure, run "${shownCommand()} clean"`;
}

/** Returns each unresolved gate with the absolute path of its latest log, if that file still exists. */
export async function withLogs(
  files: Files,
  logDir: string,
  unresolved: readonly string[]
): Promise<OpenGate[]> {
  const logs = new Map<unknown, string>();
  const wanted = new Set<unknown>(unresolved);
  for (const run of await latestReports(files, logDir)) {
    if (wanted.size === 0) break;
    const path = posix.join(logDir, reportName(run));
    const { gates } = objectOf(await readJson(files, path, { maxBytes: MAX_REPORT_BYTES }));
    for (const gate of Array.isArray(gates) ? gates.filter(isJsonObject) : []) {
      const { jobId, logPath } = gate;
      if (typeof logPath === "string" && wanted.delete(jobId)) logs.set(jobId, logPath);
    }
  }
  const stats = await files.stat([...logs.values()]);
  const existing = new Map([...logs].filter((_, i) => stats[i]?.kind === "file"));
  return unresolved.map((jobId) => ({ jobId, logPath: existing.get(jobId) }));
}

/** Maximum number of reports to read. An episode has few runs, but a folder can contain many files. */
const MAX_REPORTS = 50;
const MAX_REPORT_BYTES = 8 * MIB;

/** Returns the numbers of the runs with a report in a folder, the latest first. */
export async function latestReports(files: Files, logDir: string): Promise<number[]> {
  const names = (await listFolder(files, logDir)).unwrapOr([]);
  const runs = names.flatMap((name) => {
    const run = runNumberOf(name);
    return run !== undefined && name === reportName(run) ? [run] : [];
  });
  return runs.sort((a, b) => b - a).slice(0, MAX_REPORTS);
}
