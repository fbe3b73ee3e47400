import { setMaxListeners } from "node:events";
import { EXIT_DRAIN_MS } from "@/common/limits";
import { timeoutAfterPendingIo } from "@/node/runtime/process/timeoutAfterPendingIo";
import type { Exit, ProcessGroup } from "@/node/runtime/process/spawnGroup";

export interface StopLimits {
  /** Milliseconds; absent: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Resolves with how a program ended, or why it must be ended. The first of them counts. Leaves no timer or listener. */
export function exitOrStop(
  exited: Promise<Exit>,
  { timeoutMs, signal }: StopLimits
): Promise<Exit | "timedOut" | "cancelled"> {
  return new Promise((resolve) => {
    const settle = (outcome: Exit | "timedOut" | "cancelled"): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      resolve(outcome);
    };
    const cancel = (): void => {
      settle("cancelled");
    };
    const timer =
      timeoutMs === undefined
        ? undefined
        : timeoutAfterPendingIo(() => {
            settle("timedOut");
          }, timeoutMs);
    // Node warns of a leak above 10 listeners, and a stop may run more hooks. Each listener is removed again.
    if (signal instanceof EventTarget) setMaxListeners(0, signal);
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    void exited.then(settle);
  });
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
