/** Messages about files, for every folder of the engine. */

export function fileMissing(path: string): string {
  return `${path} does not exist`;
}

/** A folder, FIFO, socket or device is in the place of a file. */
export function notRegularFile(path: string): string {
  return `${path} is not a regular file`;
}
