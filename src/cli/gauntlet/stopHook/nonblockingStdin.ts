/** Reads from a pipe that fail with EAGAIN instead of waiting. Works on Linux; elsewhere opening throws. */
import { closeSync, constants, openSync } from "node:fs";

/**
 * Opens the pipe again with O_NONBLOCK, and closes it after use. The flags of the given descriptor do not change, which
 * other processes may share.
 */
export function withNonblockingPipe<T>(descriptor: number, use: (pipe: number) => T): T {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const pipe = openSync(`/proc/self/fd/${descriptor}`, flags);
  try {
    return use(pipe);
  } finally {
    closeSync(pipe);
  }
}
