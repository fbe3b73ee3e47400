import { spawnSync } from "node:child_process";

/**
 * Whether this machine has GNU parallel, rather than the program of that name in moreutils. Where it has none that is
 * said, and what needs it is left out; but where `CI` is set it is a failure.
 */
export function hasParallel(): boolean {
  const { error, stdout } = spawnSync("parallel", ["--version"], { encoding: "utf8" });
  if (error === undefined && stdout.startsWith("GNU parallel")) return true;
  if (process.env.CI) throw new Error("GNU parallel is missing; install the package parallel");
  console.warn("skipped: what GNU parallel spreads, for it is missing; install parallel");
  return false;
}
