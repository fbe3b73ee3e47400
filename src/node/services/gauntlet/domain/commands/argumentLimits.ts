/** Limits the paths that one call of a program gets as arguments, on this machine and on others. */
import { KIB } from "@/common/limits";

/**
 * The maximum weight of the paths of one call. Package managers put all arguments of a script into one argument of a
 * shell, and Linux limits that to 128 KiB, as does the command line to another machine.
 */
export const MAX_PATHS_WEIGHT = 64 * KIB;

/** Returns the size of a path after a shell's quoting and the escapes of a line to another machine. */
export function weightOf(path: string): number {
  const special = path.replace(/[\w ./+=:,@%-]/g, "");
  const quotes = special.length - special.replaceAll("'", "").length;
  return path.length + 5 * Buffer.byteLength(special) + 15 * quotes + 16;
}

/** Splits items into those of each call, by the weight of their paths. */
export function inBatches<T>(items: readonly T[], weigh: (item: T) => number): T[][] {
  const batches: T[][] = [];
  let sum = Infinity;
  for (const item of items) {
    sum += weigh(item);
    if (sum > MAX_PATHS_WEIGHT) {
      batches.push([]);
      sum = weigh(item);
    }
    batches.at(-1)?.push(item);
  }
  return batches;
}
