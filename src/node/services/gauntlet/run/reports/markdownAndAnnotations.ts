/**
 * Formats the report of a run as Markdown for pull requests and step summaries, and as annotations for GitHub Actions
 * (G50). Findings beyond the limits of GitHub are only counted.
 */
import { KIB } from "@/common/limits";
import { formatDuration } from "@/common/formatDuration";
import { plural } from "@/common/safeText";
import * as reporting from "@/node/services/gauntlet/run/reports/createReport";
import { placeOf } from "@/node/services/gauntlet/gates/findings/formatFindings";

/** GitHub aborts a step whose summary is larger than 1 MiB. */
export const MAX_SUMMARY_BYTES = 900 * KIB;
const MAX_MESSAGE_CHARS = 500;

/**
 * Returns the report as Markdown.
 *
 * @param maxBytes the findings that do not fit are counted instead
 */
export function markdown(report: reporting.Report, maxBytes = Infinity): string {
  const { result, findings, durationMs = 0 } = report;
  const head = [
    `## Gauntlet: ${escape(result.message)}`,
    "",
    "| gate | result | time | findings |",
    "| --- | --- | --: | --: |",
    ...result.gates.map((gate) => {
      const count = findings.filter((finding) => finding.gate === gate.jobId).length;
      const word = `${MARKS[gate.outcome]} ${reporting.outcomeWord(gate)}`;
      return `| ${code(gate.jobId).replaceAll("|", "\\|")} | ${word} | ${formatDuration(gate.durationMs)} | ${count === 0 ? "" : count} |`;
    }),
    "",
    ...result.warnings.map((text) => `> ${escape(text)}\n`),
  ];
  const end = ["", `Total: ${formatDuration(durationMs)}`, ""];
  const rest = (count: number): string => `\n…and ${plural(count, "more finding")}`;
  let left = maxBytes - byteLength([...head, ...end, rest(findings.length)]);
  const shown: string[] = [];
  let heading = "";
  for (const finding of findings) {
    const title = `### ${finding.onChangedLine ? "On changed lines" : "Elsewhere"}\n`;
    const gap = heading === "" ? "" : "\n";
    const lines = [...(title === heading ? [] : [`${gap}${title}`]), line(finding)];
    left -= byteLength(lines);
    if (left < 0) break;
    heading = title;
    shown.push(...lines);
  }
  const shownCount = shown.filter((text) => text.startsWith("- ")).length;
  const more = shownCount < findings.length ? [rest(findings.length - shownCount)] : [];
  return [...head, ...shown, ...more, ...end].join("\n");
}

function line(finding: reporting.ReportedFinding): string {
  const place = placeOf(finding);
  const rule = finding.rule ?? finding.test;
  const text = escape(finding.message.slice(0, MAX_MESSAGE_CHARS));
  const shown = place === "" ? text : `${code(place)} ${text}`;
  return `- ${shown.trim()}${rule === undefined ? "" : ` (${escape(rule)})`}`;
}

const MARKS = {
  passed: "✅",
  known: "⚪",
  failed: "❌",
  error: "⚠️",
  skipped: "⚪",
  cancelled: "⚪",
  no_files: "⚪",
} as const;

const byteLength = (lines: readonly string[]): number =>
  lines.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);

/** Escapes everything that Markdown or HTML could interpret. */
function escape(text: string): string {
  return text
    .replace(/[\r\n]+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_{}[\]()#+!|~@]/g, "\\$&");
}

/** Returns a code span, which may contain backticks. */
function code(text: string): string {
  const fence = "`".repeat(Math.max(...(text.match(/`+/g) ?? [""]).map((run) => run.length)) + 1);
  const pad = fence.length > 1 ? " " : "";
  return `${fence}${pad}${text.replace(/[\r\n]+/g, " ")}${pad}${fence}`;
}

/** GitHub silently drops what a step reports beyond ten of a kind. */
const MAX_OF_A_KIND = 10;
const COMMANDS = { error: "error", warning: "warning", info: "notice" } as const;

/** Returns lines for standard output: findings on changed lines first; the last of a kind counts the others. */
export function annotations({ findings }: reporting.Report): string {
  const lines = (["error", "warning", "info"] as const).flatMap((severity) => {
    const own = findings.filter((finding) => finding.severity === severity);
    if (own.length <= MAX_OF_A_KIND) return own.map(annotation);
    const shown = own.slice(0, MAX_OF_A_KIND - 1);
    const rest = `${plural(own.length - shown.length, "more finding")} in the summary`;
    return [...shown.map(annotation), `::${COMMANDS[severity]}::${data(rest)}`];
  });
  return lines.map((line) => `${line}\n`).join("");
}

function annotation(finding: reporting.ReportedFinding): string {
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
