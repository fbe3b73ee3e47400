/** Parses the text of a report in a known format (G37). */
import { parseJson } from "@/common/json";
import type { ReportFormat } from "@/node/services/gauntlet/domain/findings/finding";
import {
  parseEslintJson,
  parseGolangciJson,
  parseRuffJson,
} from "@/node/services/gauntlet/gates/findings/formats/jsonReports";
import type { ParsedReport } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { parseSarif } from "@/node/services/gauntlet/gates/findings/formats/sarif";
import { NOT_THIS_FORMAT } from "@/node/services/gauntlet/messages/shared";

// Finds a report in the output of a check, between the lines of package managers and warnings.

/** Only the beginning of a value whose brackets can begin a report. */
const BEGINNING = /^(?=[[{])(?:\[\s*(?:\{|\]|$)|\{\s*(?:"|$))/;
/** Characters that may be scanned altogether, so that many unfinished values take no quadratic time. */
const MAX_SCANNED_FACTOR = 4;

/**
 * Returns the first JSON value that begins a line and that `isReport` accepts. If there is none, returns undefined.
 */
function jsonInOutput(text: string, isReport: (value: unknown) => boolean): unknown {
  const isWhole = parseJson(text);
  if (isWhole.isOk() && isReport(isWhole.value)) return isWhole.value;
  let left = text.length * MAX_SCANNED_FACTOR;
  let start = 0;
  while (start < text.length && left > 0) {
    const lineEnd = text.indexOf("\n", start);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    if (BEGINNING.test(text.slice(start, Math.min(next, start + MAX_BEGINNING)))) {
      const end = endOfValue(text, start);
      left -= (end ?? text.length) - start;
      const value = end === undefined ? undefined : parseJson(text.slice(start, end));
      if (value?.isOk() === true && isReport(value.value)) return value.value;
    }
    start = next;
  }
  return undefined;
}

const MAX_BEGINNING = 200;
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

type JsonFormat = Exclude<ReportFormat, "junit">;

const JSON_PARSERS: Readonly<Record<JsonFormat, (json: unknown) => ParsedReport>> = {
  sarif: parseSarif,
  "eslint-json": parseEslintJson,
  "ruff-json": parseRuffJson,
  "golangci-json": parseGolangciJson,
};

/** Never throws. */
export async function parseReport(format: ReportFormat, text: string): Promise<ParsedReport> {
  const plain = text.replace(/^\uFEFF/, "");
  if (format === "junit") {
    const { parseJunit } = await import("@/node/services/gauntlet/gates/findings/formats/junit");
    const parsed = parseJunit(plain);
    return parsed.problem === undefined || parsed.problem === NOT_THIS_FORMAT
      ? parsed
      : { ...parsed, problem: notParsed(parsed.problem) };
  }
  return parseJson(plain).match<ParsedReport>(
    (json) => JSON_PARSERS[format](json),
    (why) => ({ found: [], problem: notParsed(why) })
  );
}

/** Parses a report that a tool printed among other lines. */
export function parseOutput(format: JsonFormat, text: string): ParsedReport {
  const parse = JSON_PARSERS[format];
  const json = jsonInOutput(text, (value) => parse(value).problem === undefined);
  return parse(json);
}

function notParsed(why: string): string {
  return `cannot be parsed: ${why}`;
}
