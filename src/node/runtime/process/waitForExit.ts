/**
 * Waits until a program exits, is cancelled or reaches its time limit, waits for its last output, and ends its process
 * tree (H21, H22). Its timer, `timeoutAfterPendingIo`, lets events that have already occurred go first.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { setImmediate } from "node:timers";
import pTimeout, { TimeoutError } from "p-timeout";
import { EXIT_DRAIN_MS, KILL_GRACE_MS } from "@/common/limits";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import type { Exit, ProcessGroup } from "@/node/runtime/process/spawnGroup";

/** When a program is ended before it exits by itself. */
export interface StopLimits {
  /** Milliseconds; absent: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Resolves with how a program ended, or why it must be ended, whichever is first. Leaves no timer or listener. */
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

type Streams = Pick<ProcessGroup, "stdout" | "stderr" | "closed">;

/**
 * Waits after an exit for output in transit (`> >(tee log)` is slower than its shell): until the pipes close or are
 * idle, or {@link EXIT_DRAIN_MS} are over, because a grandchild may hold them forever (H21).
 */
export function outputDrained({ stdout, stderr, closed }: Streams): Promise<void> {
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

/** How long killed processes may take to disappear. One that waits for a failed disk never does. */
const KILLED_MS = 250;

/**
 * Ends a process group and the processes that have left it: SIGTERM, and SIGKILL for those left after the grace period
 * (H21), whether the leader is one of them or not. Resolves once none is left, at the latest a little after the
 * SIGKILL.
 */
export async function terminate(group: ProcessGroup): Promise<void> {
  const tree = new ProcessTree(group.leader);
  tree.signal("SIGTERM");
  if (await isGoneWithin(KILL_GRACE_MS, tree, group)) return;
  tree.look();
  tree.signal("SIGKILL");
  await isGoneWithin(KILLED_MS, tree, group);
}

async function isGoneWithin(
  ms: number,
  tree: ProcessTree,
  { exited }: ProcessGroup
): Promise<boolean> {
  const deadline = performance.now() + ms;
  await exitOrStop(exited, { timeoutMs: ms });
  // The end of a process that is not a child emits no event, so poll: at first often, then less.
  for (let pause = 1; !tree.isGone(); pause = Math.min(2 * pause, 25)) {
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await delay(Math.min(pause, left));
  }
  return true;
}

/** Above this, setTimeout overflows and fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Works like `setTimeout`, but handles events that have already occurred first. When the host was busy for longer than
 * the time given, Node runs the timer before it looks at pipes and children: a program that had ended in time would
 * count as late, and output waiting in a pipe as absent. `clearTimeout` prevents the call only until the time has
 * passed: the callback then runs in the same turn of the event loop.
 */
export function timeoutAfterPendingIo(callback: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(() => setImmediate(callback), Math.min(ms, MAX_TIMER_MS));
}
