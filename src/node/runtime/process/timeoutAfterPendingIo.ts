import { setImmediate } from "node:timers";

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
