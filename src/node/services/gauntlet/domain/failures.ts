/** Compares the failures of two runs (G38). */
import { sha256 } from "@/common/hash";
import { isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";

/** Returns a digest of what failed and why. It does not include durations, paths of logs and other output. */
export function failuresDigest(gates: readonly GateResult[]): string {
  const failed = gates
    .filter(isFailure)
    .map(({ jobId, outcome, message, slots }) => [
      jobId,
      outcome,
      message ?? "",
      (slots ?? []).map(({ slot, outcome: of, message: why }) => [slot, of, why ?? ""]),
    ])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return sha256(JSON.stringify(failed), 32);
}
