import { posix } from "node:path";
import { ok, type Result } from "neverthrow";
import type { Runtime } from "@/node/runtime/Runtime";
import { cleanLogs } from "@/node/services/gauntlet/state/clean";
import { currentProcess } from "@/node/services/gauntlet/state/processIdentity";
import { RunLock, type LockFailure } from "@/node/services/gauntlet/state/RunLock";
import { PREVIOUS_FOLDER } from "@/node/services/gauntlet/state/runFiles";

export interface Cleaned {
  /** Unsorted; none: there was nothing to put away. */
  readonly names: readonly string[];
  /** Absolute: where they are now. */
  readonly to: string;
}

/** Moves the logs and the state of earlier runs to `previous/`, under the lock (G18). Makes no folder for nothing. */
export async function cleanByHand(
  runtime: Runtime,
  logDir: string,
  now: Date
): Promise<Result<Cleaned, LockFailure>> {
  const to = posix.join(logDir, PREVIOUS_FOLDER);
  const [stat] = await runtime.stat([logDir]);
  if (stat?.kind === "missing") return ok({ names: [], to });
  const locked = await RunLock.acquire(runtime, logDir, await currentProcess(runtime.host), now);
  if (locked.isErr()) return locked.map(() => ({ names: [], to }));
  try {
    const moved = await cleanLogs(runtime, logDir, { keepState: false });
    return moved
      .map((names) => ({ names, to }))
      .mapErr((failure) => ({ kind: "failed", failure }) as const);
  } finally {
    await locked.value.release();
  }
}
