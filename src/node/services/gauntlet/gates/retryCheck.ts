/** Runs a failed check again (G36). */
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";

/** Returns whether a result is a failure that another run may change. A check that was too slow is not run again. */
export function mayRetry({ gate }: Job, { outcome, timedOut, overLimit }: GateResult): boolean {
  const isAllowed = gate.kind === "check" && gate.retries !== undefined;
  return isAllowed && outcome === "failed" && timedOut !== true && overLimit !== true;
}

/**
 * Runs a failed check until it passes or its retries end. A pass is marked as flaky. If a run was cancelled, the failure
 * before it stands.
 *
 * @param runAgain runs the check; its parameter is the number of the run, from 2
 */
export async function retryCheck(
  { gate }: Job,
  first: GateResult,
  runAgain: (run: number) => Promise<GateResult>
): Promise<GateResult> {
  const retries = gate.kind === "check" ? (gate.retries ?? 0) : 0;
  let failure = first;
  for (let run = 2; run <= retries + 1; run++) {
    const result = await runAgain(run);
    if (result.outcome === "passed") return { ...result, flaky: true, runs: run };
    if (result.outcome !== "failed") return failure;
    failure = { ...result, runs: run };
  }
  return failure;
}
