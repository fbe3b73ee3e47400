/** Parses the reports of tools that print JSON of their own: ESLint, Ruff and golangci-lint. */
import { isJsonObject, type JsonObject } from "@/common/json";
import {
  MAX_RAW_FINDINGS,
  positionOf,
  severityOf,
  type ParsedReport,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { NOT_THIS_FORMAT } from "@/node/services/gauntlet/messages/shared";

/** A list of files, each with its messages. */
export function parseEslintJson(json: unknown): ParsedReport {
  if (!Array.isArray(json)) return { found: [], problem: NOT_THIS_FORMAT };
  const found: RawFinding[] = [];
  for (const entry of objectsOf(json)) {
    const file = textOf(entry.filePath);
    for (const { line, column, severity, ruleId, message } of objectsOf(entry.messages)) {
      if (found.length >= MAX_RAW_FINDINGS) return { found };
      found.push({
        ...placeOf(file, line, column),
        severity: severity === 1 ? "warning" : "error",
        ...ruleOf(ruleId),
        message: textOf(message) ?? "",
      });
    }
  }
  return { found };
}

/** A list of problems. Those without a code are syntax errors. */
export function parseRuffJson(json: unknown): ParsedReport {
  if (!Array.isArray(json)) return { found: [], problem: NOT_THIS_FORMAT };
  const found = objectsOf(json)
    .slice(0, MAX_RAW_FINDINGS)
    .map(({ filename, location, severity, code, message }): RawFinding => {
      const { row, column } = isJsonObject(location) ? location : {};
      return {
        ...placeOf(textOf(filename), row, column),
        severity: severityOf(textOf(severity)) ?? "error",
        ...ruleOf(code),
        message: textOf(message) ?? "",
      };
    });
  return { found };
}

/** An object whose `Issues` are the problems, or null if there are none. */
export function parseGolangciJson(json: unknown): ParsedReport {
  if (!isJsonObject(json) || !("Issues" in json)) return { found: [], problem: NOT_THIS_FORMAT };
  const found = objectsOf(json.Issues)
    .slice(0, MAX_RAW_FINDINGS)
    .map(({ Pos, Severity, FromLinter, Text }): RawFinding => {
      const { Filename, Line, Column } = isJsonObject(Pos) ? Pos : {};
      return {
        ...placeOf(textOf(Filename), Line, Column),
        severity: severityOf(textOf(Severity)) ?? "error",
        ...ruleOf(FromLinter),
        message: textOf(Text) ?? "",
      };
    });
  return { found };
}

export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function placeOf(
  file: string | undefined,
  atLine: unknown,
  atColumn: unknown
): Pick<RawFinding, "file" | "line" | "column"> {
  const [line, column] = [positionOf(atLine), positionOf(atColumn)];
  return {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}

export function ruleOf(value: unknown): Pick<RawFinding, "rule"> {
  const rule = textOf(value);
  return rule === undefined ? {} : { rule };
}
