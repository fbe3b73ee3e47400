/** Compares the findings of two runs (G38). */
import { sha256 } from "@/common/hash";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";

/** Returns the same digest for the same findings in any order. Without findings, returns undefined. */
export function findingsDigest(findings: readonly Finding[] | undefined): string | undefined {
  if (findings === undefined || findings.length === 0) return undefined;
  const rows = findings.map(({ file, line, column, severity, rule, message }) =>
    JSON.stringify([file ?? null, line ?? 0, column ?? 0, severity, rule ?? null, message])
  );
  return sha256([...new Set(rows)].sort().join("\n"), 32);
}
