/** SARIF 2.1.0, one run a gate with findings. Source: docs.oasis-open.org/sarif/sarif/v2.1.0. */
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import type { Report, ReportedFinding } from "@/node/services/gauntlet/run/reports/report";

/** GitHub rejects a file with more runs. */
const MAX_RUNS = 20;
const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

export function sarif({ result, findings }: Report): string {
  const gates = result.gates.map(({ jobId }) => jobId);
  const names = gates.filter((gate) => findings.some((finding) => finding.gate === gate));
  // The last run has the findings of all gates that do not get a run of their own.
  const groups = names
    .slice(0, MAX_RUNS)
    .map((name, i) => (i < MAX_RUNS - 1 ? [name] : names.slice(i)));
  const runs = (groups.length === 0 ? [[]] : groups).map((group) =>
    runOf(
      group,
      findings.filter(({ gate }) => group.includes(gate))
    )
  );
  const $schema = "https://json.schemastore.org/sarif-2.1.0.json";
  return `${JSON.stringify({ $schema, version: "2.1.0", runs }, undefined, 2)}\n`;
}

function runOf(gates: readonly string[], findings: readonly ReportedFinding[]): object {
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

/** GitHub rejects a result without a location, so a finding without a file is at the configuration of the gates. */
function locationOf({ file = CONFIG_FILE, line, column }: ReportedFinding): object[] {
  const isInside = !/^(?:\/|\.\.\/)/.test(file);
  const uri = file.split("/").map(encodeURIComponent).join("/");
  const artifactLocation = isInside ? { uri, uriBaseId: "PROJECT" } : { uri: `file://${uri}` };
  const region = line === undefined ? {} : { region: { startLine: line, startColumn: column } };
  return [{ physicalLocation: { artifactLocation, ...region } }];
}
