/**
 * Removes duplicate findings, orders and shortens the others, and formats each as one line for people and agents (G26,
 * G37).
 */
import { plural, clip, visible } from "@/common/safeText";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { RawFinding } from "@/node/services/gauntlet/gates/findings/formats/readerBase";

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

/**
 * Returns the list of findings for a file.
 *
 * @param leftOut the number of findings that the check reported beyond the limit
 */
export function listFindings(findings: readonly Finding[], leftOut: number): string {
  const lines = findings.map(findingLine);
  if (leftOut > 0) lines.push(`${plural(leftOut, "finding")} more, not listed`);
  return `${lines.join("\n")}\n`;
}

const MAX_MESSAGE_CHARS = 1_000;
const MAX_RULE_CHARS = 200;
const MAX_TEST_CHARS = 500;

/**
 * Returns a finding whose texts are on one line and have a limited length.
 *
 * @param file the path of the finding, relative to the project
 * @param testFile that of its test
 */
export function cleanFinding(
  raw: RawFinding,
  file: string | undefined,
  testFile?: string
): Finding {
  const { severity, rule = "", test, message } = raw;
  const line = file === undefined ? undefined : raw.line;
  return {
    file: file && visible(file),
    line,
    column: line && raw.column,
    severity,
    rule: oneLine(rule, MAX_RULE_CHARS) || undefined,
    test: test && oneLine(test, MAX_TEST_CHARS),
    testFile: test && testFile !== file ? testFile && visible(testFile) : undefined,
    message: oneLine(message, MAX_MESSAGE_CHARS),
  };
}

function oneLine(text: string, max: number): string {
  const start = text
    .slice(0, max * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  return clip(visible(start), max);
}

const ORDER = { error: 0, warning: 1, info: 2 } as const;

/** Groups findings by file. Changed files come first, then files with errors; in each file, errors come first. */
export function orderFindings(
  findings: readonly Finding[],
  isChanged: (file: string) => boolean
): Finding[] {
  const unique = [...new Map(findings.map((one) => [JSON.stringify(one), one])).values()];
  const errors = unique.filter(({ severity }) => severity === "error");
  const withErrors = new Set(errors.map(({ file = "" }) => file));
  const ranks = [...new Set(unique.map(({ file = "" }) => file))]
    .map((file) => ({ file, rank: (isChanged(file) ? 0 : 2) + (withErrors.has(file) ? 0 : 1) }))
    .sort((a, b) => a.rank - b.rank);
  const places = new Map(ranks.map(({ file }, place) => [file, place]));
  const placeIn = ({ file = "" }: Finding): number => places.get(file) ?? 0;
  return unique.sort(
    (a, b) =>
      placeIn(a) - placeIn(b) ||
      ORDER[a.severity] - ORDER[b.severity] ||
      (a.line ?? 0) - (b.line ?? 0)
  );
}
