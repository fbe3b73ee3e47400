/** The time limit of a run (G27c). In a file of its own, because `options.ts` needs all agent hosts. */
import type { StopOptions } from "@/cli/gauntlet/stopHook/options";

/** The run ends this long before the command does, so that its result is still reported. */
const SPARE_S = 10;

/** Returns the time that a run may take, in milliseconds. */
export function runLimitMs({ limitS }: Pick<StopOptions, "limitS">): number {
  return Math.max(limitS - SPARE_S, limitS / 2) * 1_000;
}
