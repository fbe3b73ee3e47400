/**
 * Parses reports in JSON: SARIF 2.1, which many analyzers write, and the formats of ESLint, Ruff and golangci-lint. Also
 * finds a report between other lines of a command's output.
 */
import { tryOr } from "@/common/errors";
import { isJsonObject, objectOf, parseJson, type JsonObject } from "@/common/json";
import type { ReportFormat } from "@/node/services/gauntlet/domain/findings/finding";
import {
  placeAt,
  severityOf,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/readerBase";

export type JsonFormat = Exclude<ReportFormat, "junit">;

/** By format, a function that returns the problems of a report, or undefined if it does not have this format. */
export const JSON_READERS: Readonly<
  Record<JsonFormat, (json: unknown) => RawFinding[] | undefined>
> = {
  sarif: readSarif,
  "eslint-json": (json) =>
    readRows(json, "filePath", ({ filePath, messages }) =>
      objectsOf(messages).map(({ line, column, severity, ruleId, message }) =>
        problem(filePath, line, column, severity === 1 ? "warning" : "error", ruleId, message)
      )
    ),
  // Problems without a code are syntax errors.
  "ruff-json": (json) =>
    readSarif(json) ??
    readRows(json, "filename", ({ filename, location, severity, code, message }) => {
      const { row, column } = objectOf(location);
      return [problem(filename, row, column, severity, code, message)];
    }),
  // `Issues` is null if there are none.
  "golangci-json": (json) =>
    readSarif(json) ??
    readRows(objectOf(json).Issues === null ? [] : objectOf(json).Issues, "Pos", (issue) => {
      const { Filename, Line, Column } = objectOf(issue.Pos);
      return [problem(Filename, Line, Column, issue.Severity, issue.FromLinter, issue.Text)];
    }),
};

/** Reads a list of objects. Another list, whose objects do not have `key`, is no report. */
function readRows(
  json: unknown,
  key: string,
  read: (row: JsonObject) => RawFinding[]
): RawFinding[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const rows = objectsOf(json).filter((row) => key in row);
  return rows.length === 0 && json.length > 0 ? undefined : rows.flatMap(read);
}

function problem(...[file, line, column, severity, rule, message]: readonly unknown[]): RawFinding {
  return {
    ...placeAt(textOf(file), line, column),
    severity: severityOf(textOf(severity)) ?? "error",
    rule: textOf(rule),
    message: textOf(message) ?? "",
  };
}

/** Results of these kinds are not problems. */
const NO_PROBLEM = new Set(["pass", "notApplicable", "informational"]);

function readSarif(json: unknown): RawFinding[] | undefined {
  if (!isJsonObject(json) || !Array.isArray(json.runs)) return undefined;
  return objectsOf(json.runs).flatMap((run) => {
    const { rules } = objectOf(objectOf(run.tool).driver);
    // The errors that prevented an analysis: ESLint's formatter reports syntax errors as such.
    const notifications = objectsOf(run.invocations)
      .flatMap((one) => [one.toolConfigurationNotifications, one.toolExecutionNotifications])
      .flatMap(objectsOf)
      .filter(({ level }) => level === "error");
    return [...objectsOf(run.results), ...notifications]
      .filter(isProblem)
      .map((result) => sarifFinding(result, listOf(rules), listOf(run.artifacts)));
  });
}

function isProblem({ kind, suppressions }: JsonObject): boolean {
  const isSuppressed = objectsOf(suppressions).some(
    ({ status }) => status === undefined || status === "accepted"
  );
  return !isSuppressed && !NO_PROBLEM.has(textOf(kind) ?? "fail");
}

/** Converts a result of a run. `rules` and `artifacts` are lists of the run, to which its results refer by index. */
function sarifFinding(
  result: JsonObject,
  rules: readonly unknown[],
  artifacts: readonly unknown[]
): RawFinding {
  const ofRule = objectOf(result.rule);
  const rule = itemOf(rules, ofRule.index ?? result.ruleIndex);
  const { artifactLocation, region } = objectOf(
    objectOf(objectsOf(result.locations)[0]).physicalLocation
  );
  const { uri, index } = objectOf(artifactLocation);
  const path = textOf(uri) ?? textOf(objectOf(itemOf(artifacts, index).location).uri);
  const isEncoded = path?.includes("%") === true && !path.startsWith("file:");
  const file = isEncoded ? tryOr(() => decodeURIComponent(path), path) : path;
  const { startLine, startColumn } = objectOf(region);
  const level = textOf(result.level) ?? objectOf(rule.defaultConfiguration).level ?? "warning";
  const severity = severityOf(textOf(level)) ?? "warning";
  const id = result.ruleId ?? ofRule.id ?? rule.id;
  return problem(file, startLine, startColumn, severity, id, messageOf(result, rule));
}

function messageOf({ message }: JsonObject, { messageStrings, shortDescription }: JsonObject) {
  const { text, id, arguments: given } = objectOf(message);
  const known = textOf(text);
  if (known !== undefined) return known;
  const template = textOf(objectOf(objectOf(messageStrings)[textOf(id) ?? "default"]).text);
  const values = listOf(given);
  return (template ?? textOf(objectOf(shortDescription).text) ?? "").replaceAll(
    /\{(\d+)\}/g,
    (mark, n: string) => textOf(values[Number(n)]) ?? mark
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectsOf(value: unknown): JsonObject[] {
  return listOf(value).filter(isJsonObject);
}

function itemOf(list: readonly unknown[], index: unknown): JsonObject {
  return objectOf(typeof index === "number" ? list[index] : undefined);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Matches the beginning of a value whose brackets can begin a report. */
const BEGINNING = /^(?=[[{])(?:\[\s*(?:\{|\]|$)|\{\s*(?:"|$))/;
const MAX_BEGINNING = 200;
/** Characters that may be scanned altogether, so that many unfinished values take no quadratic time. */
const MAX_SCANNED_FACTOR = 4;

/**
 * Returns the problems of the first JSON value with this format and with problems that begins a line, between lines of
 * package managers and warnings. If no value has this format, returns undefined.
 */
export function readInOutput(format: JsonFormat, text: string): RawFinding[] | undefined {
  const read = (part: string): RawFinding[] | undefined =>
    parseJson(part).map(JSON_READERS[format]).unwrapOr(undefined);
  const whole = read(text);
  if (whole !== undefined) return whole;
  let left = text.length * MAX_SCANNED_FACTOR;
  let start = 0;
  let empty: RawFinding[] | undefined;
  while (start < text.length && left > 0) {
    const lineEnd = text.indexOf("\n", start);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    if (BEGINNING.test(text.slice(start, Math.min(next, start + MAX_BEGINNING)))) {
      const end = endOfValue(text, start);
      left -= (end ?? text.length) - start;
      const found = end === undefined ? undefined : read(text.slice(start, end));
      if (found !== undefined && found.length > 0) return found;
      empty ??= found;
    }
    start = next;
  }
  return empty;
}

const MARK = /["[\]{}]/g;
const STRING_END = /[^"\\]*(?:\\.[^"\\]*)*"/sy;

/** Returns the index after the bracket that closes the one at `start`, or undefined if none does. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  MARK.lastIndex = start;
  for (let mark = MARK.exec(text); mark !== null; mark = MARK.exec(text)) {
    if (mark[0] === '"') {
      STRING_END.lastIndex = MARK.lastIndex;
      if (!STRING_END.test(text)) return undefined;
      MARK.lastIndex = STRING_END.lastIndex;
    } else if (mark[0] === "[" || mark[0] === "{") depth++;
    else if (--depth === 0) return MARK.lastIndex;
  }
  return undefined;
}
