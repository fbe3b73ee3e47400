/** Runs one fault at a new site. */
import { randomNumbers } from "@test/fuzz/random";
import type { Fault, FaultOptions } from "@test/fault/faults";
import { Site } from "@test/fault/site";

export async function strike(
  fault: Fault,
  seed: number,
  options: FaultOptions
): Promise<"passed" | "skipped"> {
  const site = new Site(randomNumbers(seed));
  try {
    return (await fault.strike(site, options)) ?? "passed";
  } finally {
    for (const { pid } of site.processes()) process.kill(pid, "SIGKILL");
    site.dispose();
  }
}
