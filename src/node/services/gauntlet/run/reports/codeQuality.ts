/** JSON formats of single consumers. */
import type { Report } from "@/node/services/gauntlet/run/reports/report";
import { findingLine } from "@/node/services/gauntlet/gates/findings/listFindings";

/** GitLab's code quality report. Source: docs.gitlab.com/ci/testing/code_quality, read in November 2026. */
export function gitlab({ findings }: Report): string {
  const severities = { error: "major", warning: "minor", info: "info" } as const;
  const seen = new Map<string, number>();
  const issues = findings.flatMap(
    ({ file, line = 1, rule, gate, message, severity, fingerprint }) => {
      if (file === undefined) return [];
      // GitLab drops issues with equal fingerprints.
      const count = (seen.get(fingerprint) ?? 0) + 1;
      seen.set(fingerprint, count);
      return {
        description: message === "" ? gate : message,
        check_name: rule ?? gate,
        fingerprint: count === 1 ? fingerprint : `${fingerprint}-${count}`,
        severity: severities[severity],
        location: { path: file, lines: { begin: line } },
      };
    }
  );
  return `${JSON.stringify(issues, undefined, 2)}\n`;
}

/** Common Test Report Format. Source: ctrf.io/docs/specification, read in November 2026. */
export function ctrf({ result, findings, startedAt, durationMs = 0 }: Report): string {
  const start = startedAt.getTime();
  const tests = result.gates.map(({ jobId, outcome, durationMs: duration, message }) => {
    const own = findings.filter(({ gate }) => gate === jobId);
    return {
      name: jobId,
      status: CTRF_STATUS[outcome],
      duration: Math.round(duration),
      message,
      trace: own.length === 0 ? undefined : own.map(findingLine).join("\n"),
      suite: ["gauntlet"],
    };
  });
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  const summary = {
    tests: tests.length,
    passed: count("passed"),
    failed: count("failed"),
    pending: 0,
    skipped: count("skipped"),
    other: count("other"),
    start,
    stop: start + Math.round(durationMs),
  };
  const report = {
    reportFormat: "CTRF",
    specVersion: "0.0.0",
    results: { tool: { name: "mux-stop-hooks" }, summary, tests },
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

const CTRF_STATUS = {
  passed: "passed",
  known: "other",
  failed: "failed",
  error: "other",
  skipped: "skipped",
  cancelled: "other",
  no_files: "skipped",
} as const;

/** The result of the run as `--json` prints it, and the findings of all gates. */
export function json({ result, findings }: Report): string {
  return `${JSON.stringify({ ...result, findings }, undefined, 2)}\n`;
}
