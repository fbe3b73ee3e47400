import { errorCode } from "@/common/errors";

/**
 * Sends a signal to a process, or to a group by its negative number; 0 only asks.
 *
 * @returns whether there was anybody to get it
 */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (thrown) {
    return errorCode(thrown) !== "ESRCH"; // EPERM: alive, and another user's.
  }
}
