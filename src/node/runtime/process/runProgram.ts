/**
 * Runs one program on this machine from its start to its result: output or log, time limit, cancellation and end (H20
 * to H23). At the time limit and on cancellation its whole process tree is ended; otherwise its background processes
 * continue.
 */
import { ok } from "neverthrow";
import { monotonicMs } from "@/common/monotonicMs";
import { ProgramCapture, logNotOpened } from "@/node/runtime/process/output/OutputCapture";
import { holdGroup, releaseGroup, prepareToHold } from "@/node/runtime/process/killOnExit";
import { LogWriter } from "@/node/runtime/process/output/LogWriter";
import { UNKNOWN_SIGNAL } from "@/node/runtime/messages";
import { type Program, spawnGroup, type StartChild } from "@/node/runtime/process/spawnGroup";
import { explainStartFailure } from "@/node/runtime/process/startFailure";
import * as exits from "@/node/runtime/process/waitForExit";
import type { ExecEnd, ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";

export interface RunLimits
  extends exits.StopLimits, Pick<ExecRequest, "keepBytes" | "logTo" | "isBrief" | "onOutput"> {
  /** Called with the number of the process group. */
  readonly onStarted?: (leader: number) => void;
}

/**
 * Runs a program on this machine to its end (H20 to H23). Never rejects.
 *
 * The end is the exit of the program itself and a short drain, not the end of its pipes: its background processes
 * continue. At the time limit and on abort its whole process tree is ended first. Output printed from then on is
 * dropped, except for a log.
 */
export async function runProgram(
  program: Program,
  limits: RunLimits,
  starting?: StartChild
): Promise<ExecResult> {
  const start = monotonicMs();
  const { logTo } = limits;
  const opened =
    logTo === undefined
      ? ok(new ProgramCapture(limits.keepBytes, limits.onOutput))
      : await LogWriter.open(logTo);
  if (opened.isErr()) return logNotOpened(opened.error);

  const output = opened.value;
  const result = async (end: ExecEnd): Promise<ExecResult> => {
    const ended = { end, durationMs: monotonicMs() - start };
    return { ...ended, ...(await output.close(ended)) };
  };

  if (limits.signal?.aborted) return result({ kind: "cancelled" });
  const watching = prepareToHold(limits.isBrief === true ? BRIEF_MS : 0);
  const spawned = await spawnGroup(program, { onStarted: holdGroup, start: starting });
  if (spawned.isErr()) {
    clearTimeout(watching);
    return result(await explainStartFailure(program, spawned.error));
  }

  const group = spawned.value;
  limits.onStarted?.(group.leader);
  output.listen(group);

  const outcome = await exits.exitOrStop(group.exited, limits);
  const isStopped = typeof outcome === "string";
  const isMoreWanted = output.programEnds(isStopped ? "stopped" : "exited");
  if (isStopped) await exits.terminate(group);
  if (isMoreWanted) await exits.outputDrained(group);
  clearTimeout(watching);
  releaseGroup(group.leader);
  group.release();
  if (isStopped) return result({ kind: outcome });
  const { code, signal } = outcome;
  return result(
    code === null
      ? { kind: "signaled", signal: signal ?? UNKNOWN_SIGNAL }
      : { kind: "exited", code }
  );
}

/** How long a brief program runs before it is watched like any other. */
const BRIEF_MS = 1_000;
