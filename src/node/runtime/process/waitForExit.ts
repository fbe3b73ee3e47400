import { setMaxListeners } from "node:events";
import { EXIT_DRAIN_MS } from "@/common/limits";
import { timeoutAfterPendingIo } from "@/node/runtime/process/timeoutAfterPendingIo";
import type { Exit, ProcessGroup } from "@/node/runtime/process/spawnGroup";

export interface StopLimits {
  /** Milliseconds; absent: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** How a program ended, or why it has to be ended, whichever comes first. Leaves no timer and no listener. */
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
    // A stop may have more hooks than Node expects listeners; each of them is taken off again.
    if (signal instanceof EventTarget) setMaxListeners(0, signal);
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    void exited.then(settle);
  });
}

/** How long the pipes stay silent before what may still come is taken for somebody else's. */
const SILENCE_MS = 100;

/**
 * Waits after an exit for output on its way (`> >(tee log)` is slower than the shell that it serves): until the
 * pipes close, or fall silent, or {@link EXIT_DRAIN_MS} are over; a grandchild may hold them for ever (H21).
 */
export function outputDrained({ stdout, stderr, closed }: ProcessGroup): Promise<void> {
  return new Promise((resolve) => {
    let silent = true;
    const onOutput = (): void => {
      silent = false;
    };
    const settle = (): void => {
      silent = true; // So that a callback which is under way does not start the timer anew.
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
