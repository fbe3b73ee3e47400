/**
 * GitHub Actions: annotations as workflow commands, and the summary of the step. Source:
 * docs.github.com/actions/reference/workflow-commands, read in November 2026.
 */
import type { Report, ReportedFinding } from "@/node/services/gauntlet/run/reports/report";
import { plural } from "@/common/text";

/** GitHub silently drops what a step reports beyond ten of a kind. */
const MAX_OF_A_KIND = 10;
const COMMANDS = { error: "error", warning: "warning", info: "notice" } as const;

/** Returns lines for standard output: findings on changed lines first; the last of a kind counts the others. */
export function annotations({ findings }: Report): string {
  const lines = (["error", "warning", "info"] as const).flatMap((severity) => {
    const own = findings.filter((finding) => finding.severity === severity);
    if (own.length <= MAX_OF_A_KIND) return own.map(annotation);
    const shown = own.slice(0, MAX_OF_A_KIND - 1);
    const rest = `${plural(own.length - shown.length, "more finding")} in the summary`;
    return [...shown.map(annotation), `::${COMMANDS[severity]}::${data(rest)}`];
  });
  return lines.map((line) => `${line}\n`).join("");
}

function annotation(finding: ReportedFinding): string {
  const { severity, file, line, column, rule, test, gate, message } = finding;
  const place = {
    file,
    line: file === undefined ? undefined : line,
    col: line === undefined ? undefined : column,
    title: `${gate}${rule === undefined && test === undefined ? "" : `: ${rule ?? test}`}`,
  };
  const properties = Object.entries(place).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${property(String(value))}`]
  );
  return `::${COMMANDS[severity]} ${properties.join(",")}::${data(message)}`;
}

const data = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
