import { setMaxListeners } from "node:events";
import pTimeout, { TimeoutError } from "p-timeout";
import { EXIT_DRAIN_MS } from "@/common/limits";
import { timeoutAfterPendingIo } from "@/node/runtime/process/timeoutAfterPendingIo";
import type { Exit, ProcessGroup } from "@/node/runtime/process/spawnGroup";

export interface StopLimits {
  /** Milliseconds; absent: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Resolves with how a program ended, or why it must be ended. The first of them counts. Leaves no timer or listener. */
export async function exitOrStop(
  exited: Promise<Exit>,
  { timeoutMs = Infinity, signal }: StopLimits
): Promise<Exit | "timedOut" | "cancelled"> {
  // Node warns of a leak above 10 listeners, and a stop may run more hooks. Each listener is removed again.
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
  const customTimers = { setTimeout: timeoutAfterPendingIo as typeof setTimeout, clearTimeout };
  try {
    return await pTimeout(exited, { milliseconds: timeoutMs, signal, customTimers });
  } catch (thrown) {
    return thrown instanceof TimeoutError ? "timedOut" : "cancelled";
  }
}

/** How long the pipes are idle before later output counts as that of other processes. */
const SILENCE_MS = 100;

/**
 * Waits after an exit for output in transit (`> >(tee log)` is slower than its shell): until the pipes close or are
 * idle, or {@link EXIT_DRAIN_MS} are over, because a grandchild may hold them forever (H21).
 */
export function outputDrained({ stdout, stderr, closed }: ProcessGroup): Promise<void> {
  return new Promise((resolve) => {
    let silent = true;
    const onOutput = (): void => {
      silent = false;
    };
    const settle = (): void => {
      silent = true; // So that a callback in progress does not restart the timer.
      clearTimeout(silence);
      clearTimeout(limit);
      resolve();
    };
    const silence = timeoutAfterPendingIo(() => {
      if (silent) {
        settle();
      } else {
        silent = true;
        silence.refresh();
      }
    }, SILENCE_MS);
    const limit = timeoutAfterPendingIo(settle, EXIT_DRAIN_MS);
    stdout.on("data", onOutput);
    stderr.on("data", onOutput);
    void closed.then(settle);
  });
}
