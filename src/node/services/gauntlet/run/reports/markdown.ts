/** Markdown, as GitHub and GitLab render it: for pull requests and step summaries. */
import {
  outcomeWord,
  type Report,
  type ReportedFinding,
} from "@/node/services/gauntlet/run/reports/report";
import { KIB } from "@/common/limits";
import { formatDuration } from "@/common/formatDuration";
import { placeOf } from "@/node/services/gauntlet/gates/findings/listFindings";

/** GitHub aborts a step whose summary is larger than 1 MiB. */
export const MAX_SUMMARY_BYTES = 900 * KIB;
const MAX_MESSAGE_CHARS = 500;

/** @param maxBytes the findings that do not fit are counted instead */
export function markdown(report: Report, maxBytes = Infinity): string {
  const { result, findings, durationMs = 0 } = report;
  const head = [
    `## Gauntlet: ${escape(result.message)}`,
    "",
    "| gate | result | time | findings |",
    "| --- | --- | --: | --: |",
    ...result.gates.map((gate) => {
      const count = findings.filter((finding) => finding.gate === gate.jobId).length;
      const word = `${MARKS[gate.outcome]} ${outcomeWord(gate)}`;
      return `| ${code(gate.jobId)} | ${word} | ${formatDuration(gate.durationMs)} | ${count === 0 ? "" : count} |`;
    }),
    "",
    ...result.warnings.map((text) => `> ${escape(text)}\n`),
  ];
  const end = ["", `Total: ${formatDuration(durationMs)}`, ""];
  const rest = (count: number): string => `\n…and ${count} more findings`;
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
  const isShown = shown.filter((text) => text.startsWith("- ")).length;
  const more = isShown < findings.length ? [rest(findings.length - isShown)] : [];
  return [...head, ...shown, ...more, ...end].join("\n");
}

function line(finding: ReportedFinding): string {
  const place = placeOf(finding);
  const rule = finding.rule ?? finding.test;
  const parts = [
    place === "" ? "" : code(place),
    escape(finding.message.slice(0, MAX_MESSAGE_CHARS)),
  ];
  return `- ${parts.join(" ").trim()}${rule === undefined ? "" : ` (${escape(rule)})`}`;
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

/** Returns a code span, which may contain backticks, in a table as well. */
function code(text: string): string {
  const fence = "`".repeat(
    Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)) + 1
  );
  const pad = fence.length > 1 ? " " : "";
  return `${fence}${pad}${text.replace(/[\r\n]+/g, " ").replaceAll("|", "\\|")}${pad}${fence}`;
}
