/**
 * Formats the report of a run as JSON: the output of `--json` with all findings, SARIF, GitLab's code quality report
 * and CTRF, the Common Test Report Format (G50).
 */
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import type { Report, ReportedFinding } from "@/node/services/gauntlet/run/reports/createReport";
import { findingLine } from "@/node/services/gauntlet/gates/findings/formatFindings";

/** Returns GitLab's code quality report. Source: docs.gitlab.com/ci/testing/code_quality, read in November 2026. */
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

/** Returns the report in the Common Test Report Format. Source: ctrf.io/docs/specification, read in November 2026. */
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

/** Returns the result of the run as `--json` prints it, with the findings of all gates. */
export function json({ result, findings }: Report): string {
  return `${JSON.stringify({ ...result, findings }, undefined, 2)}\n`;
}

/** GitHub rejects a file with more runs. */
const MAX_RUNS = 20;
const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

/** Returns SARIF 2.1.0 with a run for each gate with findings. Source: docs.oasis-open.org/sarif/sarif/v2.1.0. */
export function sarif({ result, findings }: Report): string {
  const gates = result.gates.map(({ jobId }) => jobId);
  const names = gates.filter((gate) => findings.some((finding) => finding.gate === gate));
  // The last run has the findings of all gates that do not get a run of their own.
  const groups = names
    .slice(0, MAX_RUNS)
    .map((name, i) => (i < MAX_RUNS - 1 ? [name] : names.slice(i)));
  const runs = (groups.length === 0 ? [[]] : groups).map((group) => runOf(group, findings));
  const $schema = "https://json.schemastore.org/sarif-2.1.0.json";
  return `${JSON.stringify({ $schema, version: "2.1.0", runs }, undefined, 2)}\n`;
}

/** Returns the run of these gates, with their findings among all. */
function runOf(gates: readonly string[], all: readonly ReportedFinding[]): object {
  const findings = all.filter(({ gate }) => gates.includes(gate));
  const rules = [...new Set(findings.map(ruleOf))];
  // GitHub requires all three texts of a rule.
  const descriptors = rules.map((id) => {
    const text = `${id}, reported by ${gates.join(", ")}`;
    return { id, shortDescription: { text: id }, fullDescription: { text }, help: { text } };
  });
  return {
    tool: { driver: { name: "mux-stop-hooks", rules: descriptors } },
    automationDetails: { id: `gauntlet/${gates.join("+")}/` },
    originalUriBaseIds: { PROJECT: { description: { text: "The folder of the project" } } },
    results: findings.map((finding) => ({
      ruleId: ruleOf(finding),
      ruleIndex: rules.indexOf(ruleOf(finding)),
      level: LEVELS[finding.severity],
      message: { text: finding.message === "" ? ruleOf(finding) : finding.message },
      locations: locationOf(finding),
      partialFingerprints: { "gauntlet/v1": finding.fingerprint },
    })),
  };
}

const ruleOf = ({ rule, test, gate }: ReportedFinding): string => rule ?? test ?? gate;

/** Returns the location of a finding; without a file, it is the configuration, because GitHub requires a location. */
function locationOf({ file = CONFIG_FILE, line, column }: ReportedFinding): object[] {
  const uri = file.split("/").map(encodeURIComponent).join("/");
  const isAbsolute = file.startsWith("/");
  const artifactLocation = isAbsolute ? { uri: `file://${uri}` } : { uri, uriBaseId: "PROJECT" };
  const region = line === undefined ? {} : { region: { startLine: line, startColumn: column } };
  return [{ physicalLocation: { artifactLocation, ...region } }];
}
