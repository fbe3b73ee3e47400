/** Parses the text of a report in a known format (G37). */
import { parseJson } from "@/common/json";
import type { ReportFormat } from "@/node/services/gauntlet/domain/findings/finding";
import {
  JSON_READERS,
  readInOutput,
  type JsonFormat,
} from "@/node/services/gauntlet/gates/findings/formats/jsonReports";
import {
  MAX_RAW_FINDINGS,
  type ParsedReport,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { NOT_THIS_FORMAT } from "@/node/services/gauntlet/messages/shared";

/** Never throws. */
export async function parseReport(format: ReportFormat, text: string): Promise<ParsedReport> {
  const plain = text.replace(/^\uFEFF/, "");
  if (format === "junit") {
    const { parseJunit } = await import("@/node/services/gauntlet/gates/findings/formats/junit");
    return parseJunit(plain);
  }
  return parseJson(plain).match<ParsedReport>(
    (json) => toReport(JSON_READERS[format](json)),
    (why) => ({ found: [], problem: `cannot be parsed: ${why}` })
  );
}

/** Parses a report that a tool printed among other lines. */
export function parseOutput(format: JsonFormat, text: string): ParsedReport {
  return toReport(readInOutput(format, text));
}

function toReport(found: readonly RawFinding[] | undefined): ParsedReport {
  return found === undefined
    ? { found: [], problem: NOT_THIS_FORMAT }
    : { found: found.slice(0, MAX_RAW_FINDINGS) };
}
