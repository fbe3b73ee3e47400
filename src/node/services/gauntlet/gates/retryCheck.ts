/** Runs a failed check again (G36). */
import { findingsIn } from "@/node/services/gauntlet/domain/findings/finding";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";

/**
 * Returns whether a result is a failure that another run may change. A check that was too slow is not run again, nor is
 * one with a finding in a file that changed, which fails in any case.
 */
export function mayRetry(
  { gate }: Job,
  { outcome, timedOut, overLimit, findings = [] }: GateResult,
  isChanged: (file: string) => boolean = () => false
): boolean {
  const isAllowed = gate.kind === "check" && gate.retries !== undefined;
  const isSlow = timedOut === true || overLimit === true;
  return (
    isAllowed && outcome === "failed" && !isSlow && findingsIn(findings, isChanged).length === 0
  );
}

/**
 * Runs a failed check until it passes or its retries end. A pass is marked as flaky. If a run was cancelled, the failure
 * before it stands.
 *
 * @param runAgain runs the check; its parameter is the number of the run, from 2
 */
export async function retryCheck(
  first: GateResult,
  retries: number,
  runAgain: (run: number) => Promise<GateResult>
): Promise<GateResult> {
  let failure = first;
  for (let run = 2; run <= retries + 1; run++) {
    const result = await runAgain(run);
    if (result.outcome === "passed") return { ...result, flaky: true, runs: run };
    if (result.outcome === "known") return { ...result, runs: run };
    if (result.outcome !== "failed") return failure;
    failure = { ...result, runs: run };
  }
  return failure;
}
