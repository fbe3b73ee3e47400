import type { Readable } from "node:stream";
import { OutputCapture } from "@/node/runtime/process/captureOutput";
import { freeChunk } from "@/node/runtime/process/freeChunk";
import { holdGroup, letGoOfGroup } from "@/node/runtime/process/liveGroups";
import { spawnGroup, type Exit, type Program } from "@/node/runtime/process/spawnGroup";
import { explainStartFailure } from "@/node/runtime/process/startFailure";
import { terminate } from "@/node/runtime/process/terminate";
import { exitOrStop, outputDrained, type StopLimits } from "@/node/runtime/process/waiting";
import type { ExecEnd, ExecResult } from "@/node/runtime/Runtime";

export interface RunLimits extends StopLimits {
  /** See `ExecRequest.keepBytes`. */
  readonly keepBytes?: number;
}

/**
 * Runs a program of this machine to its end (H20 to H23). Never rejects.
 *
 * Over means the exit of the program itself and a short drain, not the end of its pipes: what it has left in the
 * background lives on. At the time limit and on abort its whole tree is ended first, and what it prints from then
 * on is dropped.
 */
export async function runProgram(program: Program, limits: RunLimits): Promise<ExecResult> {
  const start = performance.now();
  const stdout = new OutputCapture(limits.keepBytes);
  const stderr = new OutputCapture(limits.keepBytes);
  const result = (end: ExecEnd): ExecResult => ({
    end,
    stdout: stdout.read(),
    stderr: stderr.read(),
    durationMs: performance.now() - start,
  });

  if (limits.signal?.aborted) return result({ kind: "cancelled" });
  const spawned = await spawnGroup(program);
  if (spawned.isErr()) return result(await explainStartFailure(program, spawned.error));

  const group = spawned.value;
  holdGroup(group.leader);
  let listening = true;
  const listen = (pipe: Readable, capture: OutputCapture): void => {
    pipe.on("data", (chunk: Buffer) => {
      if (listening) capture.push(chunk);
      freeChunk(chunk);
    });
  };
  listen(group.stdout, stdout);
  listen(group.stderr, stderr);

  const outcome = await exitOrStop(group.exited, limits);
  if (typeof outcome === "string") {
    listening = false;
    await terminate(group);
  } else {
    await outputDrained(group);
  }
  letGoOfGroup(group.leader);
  group.release();
  return result(typeof outcome === "string" ? { kind: outcome } : endOf(outcome));
}

function endOf({ code, signal }: Exit): ExecEnd {
  return code === null
    ? { kind: "signaled", signal: signal ?? "an unknown signal" }
    : { kind: "exited", code };
}
