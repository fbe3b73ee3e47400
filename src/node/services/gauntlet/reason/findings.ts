/** The findings of a gate in the reason: as many whole lines as fit (G26, G37). */
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { findingLine } from "@/node/services/gauntlet/gates/findings/listFindings";
import { findingsHeading, moreFindings } from "@/node/services/gauntlet/messages/findings";
import { quoted, quotedLength } from "@/node/services/gauntlet/reason/excerpt";
import { clip } from "@/common/text";

type Gate = Pick<GateResult, "findings" | "findingsPath">;

const MAX_LINE_CHARS = 400;
const MIN_CHARS = 100;

/** Returns the number of characters of all findings, or undefined if the gate has none. */
export function findingsLength(gate: Gate): number | undefined {
  if (!hasFindings(gate)) return undefined;
  return headingOf(gate).length + 1 + quotedLength(linesOf(gate).join("\n"));
}

/** Returns the findings that fit into `max` characters, and counts the others. Without findings, returns undefined. */
export function shownFindings(gate: Gate | undefined, max: number): string | undefined {
  if (gate === undefined || !hasFindings(gate) || max < MIN_CHARS) return undefined;
  const heading = headingOf(gate);
  const lines = linesOf(gate).map((line) => quoted(line));
  let length = heading.length + moreFindings(lines.length).length + PREFIX_CHARS;
  let shown = 0;
  for (const line of lines) {
    const isLast = shown === lines.length - 1;
    if (length + line.length + 1 > max + (isLast ? moreFindings(1).length + PREFIX_CHARS : 0))
      break;
    length += line.length + 1;
    shown++;
  }
  const rest = lines.length - shown;
  const more = rest === 0 ? [] : [`      ${moreFindings(rest)}`];
  return [heading, ...lines.slice(0, shown), ...more].join("\n");
}

/** Includes a line break. */
const PREFIX_CHARS = 8;

/** Removes the lines of a log that a finding repeats. */
export function withoutFindings(log: string, gate: Gate | undefined): string {
  const messages = (gate?.findings ?? [])
    .slice(0, MAX_COMPARED)
    .map(({ message }) => message)
    .filter(isDistinct);
  if (messages.length === 0) return log;
  return log
    .split("\n")
    .filter((line) => !messages.some((message) => line.includes(message)))
    .join("\n")
    .trim();
}

/** The space has room for fewer findings than these. */
const MAX_COMPARED = 200;

/** A short message may be a part of any line. */
function isDistinct(message: string): boolean {
  return message.length >= 8;
}

function hasFindings({ findings }: Gate): boolean {
  return findings !== undefined && findings.length > 0;
}

function headingOf({ findings = [], findingsPath }: Gate): string {
  const files = new Set(findings.flatMap(({ file }) => file ?? []));
  return findingsHeading(findings.length, files.size, findingsPath);
}

function linesOf({ findings = [] }: Gate): string[] {
  return findings.map((finding) => clip(findingLine(finding), MAX_LINE_CHARS));
}
