/** Formats findings for people and agents: one line each (G26, G37). */
import { plural } from "@/common/text";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";

/** Returns `src/a.ts:1:7 message [rule]`. The severity is only included if it is not an error. */
export function findingLine(finding: Finding): string {
  const { severity, message, rule } = finding;
  const place = placeOf(finding);
  const kind = severity === "error" ? "" : `${severity}: `;
  const name = rule === undefined ? "" : ` [${rule}]`;
  return `${place === "" ? "" : `${place} `}${kind}${message}${name}`;
}

/** Returns `file:line:column`, as far as it is known. */
export function placeOf({ file, line, column }: Pick<Finding, "file" | "line" | "column">): string {
  if (file === undefined) return "";
  const at = line === undefined ? "" : `:${line}`;
  return `${file}${at}${line === undefined || column === undefined ? "" : `:${column}`}`;
}

/** @param leftOut the number of findings that the check reported, but cannot have */
export function listFindings(findings: readonly Finding[], leftOut: number): string {
  const lines = findings.map(findingLine);
  if (leftOut > 0) lines.push(`${plural(leftOut, "finding")} more, not listed`);
  return `${lines.join("\n")}\n`;
}
