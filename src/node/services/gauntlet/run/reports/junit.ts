/** JUnit XML, as GitLab, Jenkins, CircleCI, Azure and Buildkite read it: a suite a gate, a case a finding. */
import { escapeMarkup, type Report } from "@/node/services/gauntlet/run/reports/report";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { placeOf } from "@/node/services/gauntlet/gates/findings/listFindings";

export function junit({ result, findings, startedAt, durationMs = 0 }: Report): string {
  const suites = result.gates.map((gate) => {
    const own = findings.filter((finding) => finding.gate === gate.jobId);
    const cases = own.map((finding) => {
      const { message, rule, test, file } = finding;
      const name = test ?? `${placeOf(finding)} ${rule ?? ""}`.trim();
      const attributes = attributesOf({ name: name || message, classname: gate.jobId, file });
      const failure = attributesOf({ message, type: rule ?? finding.severity });
      return `<testcase${attributes} time="0"><failure${failure}>${escapeMarkup(`${placeOf(finding)} ${message}`.trim())}</failure></testcase>`;
    });
    const tests = cases.length === 0 ? [gateCase(gate)] : cases;
    const counts = attributesOf({
      name: gate.jobId,
      tests: tests.length,
      failures: gate.outcome === "failed" ? tests.length : 0,
      errors: gate.outcome === "error" ? tests.length : 0,
      skipped: isSkipped(gate) ? tests.length : 0,
      time: seconds(gate.durationMs),
      timestamp: startedAt.toISOString().slice(0, 19),
    });
    return `  <testsuite${counts}>\n${tests.map((line) => `    ${line}\n`).join("")}  </testsuite>\n`;
  });
  const total = attributesOf({ name: "gauntlet", time: seconds(durationMs) });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${total}>\n${suites.join("")}</testsuites>\n`;
}

/** A gate without findings is one case. */
function gateCase(gate: GateResult): string {
  const { jobId, outcome, message = "", durationMs } = gate;
  const attributes = attributesOf({ name: jobId, classname: jobId, time: seconds(durationMs) });
  const why = attributesOf({ message });
  const inside =
    outcome === "failed"
      ? `<failure${why}/>`
      : outcome === "error"
        ? `<error${why}/>`
        : isSkipped(gate)
          ? `<skipped${why}/>`
          : "";
  return `<testcase${attributes}>${inside}</testcase>`;
}

const isSkipped = ({ outcome }: GateResult): boolean =>
  ["skipped", "cancelled", "no_files"].includes(outcome);

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function attributesOf(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [` ${name}="${escapeMarkup(String(value))}"`]
    )
    .join("");
}
