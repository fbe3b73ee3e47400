/** Access to a pipe whose reads fail with EAGAIN instead of waiting. Works on Linux; elsewhere opening throws. */
import { closeSync, constants, openSync } from "node:fs";

/**
 * Opens the pipe again with O_NONBLOCK, and closes it after use. Does not change the flags of the given descriptor,
 * because other processes may share them.
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
