/**
 * Formats the findings of a gate for the reason of a failed stop, as many whole lines as fit, removes the lines of its
 * log that repeat them, and lists the unresolved violations of a review (G26, G37).
 */
import { readResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import { OUTSIDE, UNCONFIRMED } from "@/node/services/gauntlet/messages/shared";
import type { Files } from "@/node/runtime/HookRuntime";
import { visible, clip, plural } from "@/common/safeText";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import { findingLine } from "@/node/services/gauntlet/gates/findings/formatFindings";
import { quoted, quotedLength } from "@/node/services/gauntlet/reason/logExcerpts";

type Gate = Pick<GateResult, "findings" | "findingsPath">;

const MAX_LINE_CHARS = 400;
const MIN_CHARS = 100;

/** Returns the number of characters of all findings, or undefined if the gate has none. */
export function findingsLength(gate: Gate): number | undefined {
  if (!gate.findings?.length) return undefined;
  return headingOf(gate).length + 1 + quotedLength(linesOf(gate).join("\n"));
}

/**
 * Returns the findings that fit into `max` characters, and counts the others. If not all of them fit, each file has one
 * before any file has a second one. Without findings, returns undefined.
 */
export function shownFindings(gate: Gate | undefined, max: number): string | undefined {
  if (!gate?.findings?.length) return undefined;
  const heading = headingOf(gate);
  if ((findingsLength(gate) ?? 0) <= max) {
    return [heading, ...linesOf(gate).map((line) => quoted(line))].join("\n");
  }
  if (max < MIN_CHARS) return undefined;
  const findings = byTurns(gate.findings);
  const lines = linesOf({ findings }).map((line) => quoted(line));
  const files = new Set(findings.flatMap(({ file }) => file ?? []));
  let length = heading.length + moreFindings(lines.length, files.size).length + PREFIX_CHARS;
  let shown = 0;
  for (const line of lines) {
    if (length + line.length + 1 > max) break;
    length += line.length + 1;
    files.delete(findings[shown]?.file ?? "");
    shown++;
  }
  const more = `      ${moreFindings(lines.length - shown, files.size)}`;
  return [heading, ...lines.slice(0, shown), more].join("\n");
}

/** Returns the first finding of each file, then the second one of each file, and so on. */
function byTurns(findings: readonly Finding[]): Finding[] {
  const turns: Finding[][] = [];
  const counts = new Map<string | undefined, number>();
  for (const finding of findings) {
    const turn = counts.get(finding.file) ?? 0;
    counts.set(finding.file, turn + 1);
    (turns[turn] ??= []).push(finding);
  }
  return turns.flat();
}

/** Includes a line break. */
const PREFIX_CHARS = 8;

/** Removes the lines of a log that a finding repeats. */
export function withoutFindings(log: string, gate: Gate | undefined): string {
  // The reason has room for fewer findings than these.
  const messages = (gate?.findings ?? [])
    .slice(0, 200)
    .map(({ message }) => message)
    // A short message may be a part of any line.
    .filter((message) => message.length >= 8);
  if (messages.length === 0) return log;
  return log
    .split("\n")
    .filter((line) => !messages.some((message) => line.includes(message)))
    .join("\n")
    .trim();
}

/** Returns the line above the findings of a gate in the reason. */
function headingOf({ findings = [], findingsPath }: Gate): string {
  const files = new Set(findings.flatMap(({ file }) => file ?? [])).size;
  const list = findingsPath === undefined ? "" : `; full list: ${findingsPath}`;
  return `  ${plural(findings.length, "finding")}${files === 0 ? "" : ` in ${plural(files, "file")}`}${list}`;
}

function linesOf({ findings = [] }: Gate): string[] {
  return findings.map((finding) => clip(findingLine(finding), MAX_LINE_CHARS));
}

/**
 * Returns the line that counts the findings that are not shown.
 *
 * @param files the number of files with findings of which none is shown
 */
function moreFindings(count: number, files: number): string {
  const others = files === 0 ? "" : `; ${plural(files, "file")} with findings not named here`;
  return `… and ${plural(count, "more finding")}${others}`;
}

const MAX_ISSUE_CHARS = 400;
const MAX_PLACE_CHARS = 200;

/** Returns the unresolved violations as lines of `file:line priority: text`; none if the file cannot be read. */
export async function openViolations(files: Files, path: string): Promise<string[]> {
  const read = await readResultFile(files, path);
  const entries = read.kind === "read" ? read.entries : [];
  return entries
    .filter(({ status }) => status !== "skipped")
    .map(({ file, line, priority, issue, outside, unconfirmed }) => {
      const place = `${text(file)}${line == null ? "" : `:${text(line)}`}`;
      const notes = [outside === true ? OUTSIDE : "", unconfirmed === true ? UNCONFIRMED : ""]
        .filter((note) => note !== "")
        .map((note) => ` (${note})`);
      const severity = `${text(priority)}${notes.join("")}`;
      return `${clip(place, MAX_PLACE_CHARS)} ${severity}: ${clip(text(issue), MAX_ISSUE_CHARS)}`;
    });
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? visible(String(value)) : "";
}
