/** Parses the text of a report in a known format (G37). */
import { parseJson } from "@/common/json";
import type { ReportFormat } from "@/node/services/gauntlet/domain/findings/finding";
import {
  parseEslintJson,
  parseGolangciJson,
  parseRuffJson,
} from "@/node/services/gauntlet/gates/findings/formats/jsonReports";
import { jsonInOutput } from "@/node/services/gauntlet/gates/findings/formats/jsonInOutput";
import type { ParsedReport } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { parseSarif } from "@/node/services/gauntlet/gates/findings/formats/sarif";
import { NOT_THIS_FORMAT } from "@/node/services/gauntlet/messages/shared";

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
