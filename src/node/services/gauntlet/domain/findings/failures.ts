/** Compares the failures of two runs (G38). */
import { sha256 } from "@/common/hash";
import { findingsDigest } from "@/node/services/gauntlet/domain/findings/findingsDigest";
import { isFailure, type GateResult } from "@/node/services/gauntlet/domain/gate";

/** Returns a digest of what failed, why and with which findings. Durations, paths of logs and output do not count. */
export function failuresDigest(gates: readonly GateResult[]): string {
  const failed = gates
    .filter(isFailure)
    .map(({ jobId, outcome, message, slots, findings }) => [
      jobId,
      outcome,
      message ?? "",
      (slots ?? []).map(({ slot, outcome: of, message: why }) => [slot, of, why ?? ""]),
      findingsDigest(findings) ?? "",
    ])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return sha256(JSON.stringify(failed), 32);
}
