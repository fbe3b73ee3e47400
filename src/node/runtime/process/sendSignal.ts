import { errorCode } from "@/common/errors";

/**
 * Sends a signal to a process, or to a group by its negative number; 0 only checks whether it exists.
 *
 * @returns whether there was a process to receive it
 */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (thrown) {
    return errorCode(thrown) !== "ESRCH"; // EPERM: alive, but owned by another user.
  }
}
