/** Compares the failures and the findings of two runs (G38). */
import { sha256 } from "@/common/hash";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
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

/** Returns the same digest for the same findings in any order. Without findings, returns undefined. */
export function findingsDigest(findings: readonly Finding[] | undefined): string | undefined {
  if (findings === undefined || findings.length === 0) return undefined;
  const rows = findings.map(({ file, line, column, severity, rule, message }) =>
    JSON.stringify([file ?? null, line ?? 0, column ?? 0, severity, rule ?? null, message])
  );
  return sha256([...new Set(rows)].sort().join("\n"), 32);
}
