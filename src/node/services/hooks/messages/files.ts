/** Messages about files, for every folder of the engine. */

export function fileMissing(path: string): string {
  return `${path} does not exist`;
}

/** A folder, FIFO, socket or device is in the place of a file. */
export function notRegularFile(path: string): string {
  return `${path} is not a regular file`;
}

export function notWritten(path: string, problem: string): string {
  return `${path} could not be written: ${problem}`;
}

export function lockedByOther(path: string, lock: string): string {
  return `${path} is locked by another process; if there is none, remove ${lock}`;
}
