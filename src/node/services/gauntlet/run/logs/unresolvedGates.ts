/** Unresolved gates that this run cannot run, because they no longer apply (G18a). */
import { ownCommand } from "@/common/ownCommand";
import { posix } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";
import type { GateDefinition, GateResult } from "@/node/services/gauntlet/domain/gate";
import { folderOfJob } from "@/node/services/gauntlet/domain/jobId";
import { NO_LONGER_APPLIES } from "@/node/services/gauntlet/messages/run";
import { openLogs } from "@/node/services/gauntlet/run/logs/findGateLogs";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

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
  defined: readonly GateDefinition[]
): UnresolvedSplit {
  const isDefined = (id: string): boolean =>
    defined.some((gate) => folderOfJob(id, gate) !== undefined);
  const isOfTurn = (id: string): boolean =>
    stop !== undefined && failures[id]?.session === stop.session && failures[id].turn === stop.turn;
  const unresolved = isTrusted ? gone.filter(isDefined) : gone;
  return {
    blocking: unresolved.filter(isOfTurn),
    dormant: unresolved.filter((id) => !isOfTurn(id)),
    closed: gone.filter((id) => !unresolved.includes(id)),
  };
}

/** Returns a failed gate for each gate that was failing in this turn and no longer has a job. */
export async function goneGates(
  files: Files,
  logDir: string,
  ids: readonly string[]
): Promise<GateResult[]> {
  if (ids.length === 0) return [];
  const logs = await openLogs(files, logDir, ids);
  return ids.map((jobId) => {
    const [kind = "", ...rest] = jobId.split(":");
    const logPath = logs.get(jobId);
    return {
      jobId,
      kind: kind === "review" ? "review" : "check",
      gate: rest.at(-1) ?? jobId,
      entryPoint: rest.slice(0, -1).join(":") || ".",
      outcome: "failed",
      durationMs: 0,
      message: NO_LONGER_APPLIES,
      ...(logPath === undefined ? {} : { logPath }),
    };
  });
}

export function describeDormant(
  id: string,
  { failures }: Pick<ExecutionState, "failures">
): string {
  return dormantGate(id, failures[id]?.branch);
}

/** Returns each unresolved gate with the absolute path of its log, for a message. */
export async function withLogs(
  files: Files,
  logDir: string,
  unresolved: readonly string[]
): Promise<{ readonly jobId: string; readonly logPath?: string }[]> {
  const logs = await openLogs(files, posix.normalize(logDir), unresolved);
  return unresolved.map((jobId) => {
    const logPath = logs.get(jobId);
    return { jobId, ...(logPath === undefined ? {} : { logPath }) };
  });
}

/** A warning about an unresolved gate of an earlier turn or another branch (G18a). */
function dormantGate(id: string, branch: string | undefined): string {
  const on = branch === undefined ? "" : ` on branch ${branch}`;
  return `${id} was failing${on} and no longer applies (its folder or its definition does not exist here), so it was not run; to discard this failure, run "${ownCommand()} clean"`;
}
