/** Collects the findings of a check that failed (G37). */
import { describeError } from "@/common/errors";
import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { Finding, FindingsSource } from "@/node/services/gauntlet/domain/findings/finding";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { listFindings } from "@/node/services/gauntlet/gates/findings/listFindings";
import {
  matchAllFormats,
  matchForeign,
  matchFormat,
} from "@/node/services/gauntlet/gates/findings/matchOutput";
import { cleanFinding, orderFindings } from "@/node/services/gauntlet/gates/findings/orderFindings";
import {
  outputChunks,
  type OutputChunks,
} from "@/node/services/gauntlet/gates/findings/outputLines";
import { parseOutput } from "@/node/services/gauntlet/gates/findings/parseReport";
import type { ParsedReport } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import type { ReportStamps } from "@/node/services/gauntlet/gates/findings/reportFiles";
import { readReports } from "@/node/services/gauntlet/gates/findings/readReports";
import { resolvePaths, type Folders } from "@/node/services/gauntlet/gates/findings/resolvePaths";
import * as messages from "@/node/services/gauntlet/messages/findings";

const MAX_OUTPUT_BYTES = 8 * MIB;
/** Without `findings`, since it is not known whether there are any. */
const MAX_GUESSED_BYTES = MIB / 2;
const MAX_FINDINGS = 1_000;

export interface FindingsRequest extends Folders {
  /** Absent: all built-in matchers. */
  readonly sources: readonly FindingsSource[] | undefined;
  readonly logPath: string;
  /** Absolute. Absent: no list is written. */
  readonly findingsPath?: string;
  /** The reports before the command started. */
  readonly reports: ReportStamps;
  /** Whether a file, relative to the project, changed in the comparison. */
  readonly isChanged: (file: string) => boolean;
}

type Collected = Pick<GateResult, "findings" | "findingsPath" | "findingsProblem">;

/** Never rejects, because findings never decide about the outcome. */
export async function collectFindings(
  runtime: HookRuntime,
  request: FindingsRequest
): Promise<Collected> {
  try {
    return await collect(runtime, request);
  } catch (thrown) {
    return { findingsProblem: describeError(thrown) };
  }
}

async function collect(runtime: HookRuntime, request: FindingsRequest): Promise<Collected> {
  const { sources, isChanged, findingsPath } = request;
  if (sources?.length === 0) return {};
  const parsed = [
    ...(await readOutput(runtime, request)),
    ...(await readReports(runtime, request)),
  ];
  const raw = parsed.flatMap(({ found }) => found);
  const problems = parsed.flatMap(({ problem }) => problem ?? []);
  const paths = await resolvePaths(runtime, request, raw);
  const all = orderFindings(
    raw.map((one, i) => cleanFinding(one, paths[i])),
    isChanged
  );
  const findings = all.slice(0, MAX_FINDINGS);
  const known = problems.length === 0 ? {} : { findingsProblem: problems.join("; ") };
  if (findings.length === 0) return known;
  const written = await writeList(runtime, findingsPath, findings, all.length - findings.length);
  return { ...known, findings, ...(written === undefined ? {} : { findingsPath: written }) };
}

/** Parses the output, which the log has, for all sources without files. */
async function readOutput(
  runtime: HookRuntime,
  { sources, logPath }: FindingsRequest
): Promise<ParsedReport[]> {
  const isNeeded = sources?.some((source) => source.kind !== "report" || source.glob === undefined);
  if (isNeeded === false) return [];
  const maxBytes = sources === undefined ? MAX_GUESSED_BYTES : MAX_OUTPUT_BYTES;
  const read = await runtime.readFile(logPath, { maxBytes, tail: true });
  if (read.isErr()) {
    const why = messages.notReadable(read.error.message);
    return [{ found: [], problem: messages.reportProblem(messages.STANDARD_OUTPUT, why) }];
  }
  const isCut = read.value.byteLength === maxBytes;
  const all = new TextDecoder().decode(read.value);
  const text = withoutOwnLines(isCut ? withoutFirstLine(all) : all);
  const output = outputChunks(text);
  if (sources === undefined) return [{ found: matchAllFormats(output) }];
  const matchers = sources.flatMap((one) => (one.kind === "matcher" ? [one.matcher] : []));
  return [
    ...sources.flatMap((source) => parseSource(source, text, output)),
    ...(matchers.length === 0 ? [] : [matchForeign(matchers, output)]),
  ];
}

function parseSource(
  source: FindingsSource,
  text: string,
  output: OutputChunks
): readonly ParsedReport[] {
  if (source.kind === "output") return [{ found: matchFormat(source.format, output) }];
  if (source.kind !== "report" || source.glob !== undefined || source.format === "junit") return [];
  const { found, problem } = parseOutput(source.format, text);
  if (problem === undefined) return [{ found }];
  const subject = `${messages.STANDARD_OUTPUT} (${source.format})`;
  return [{ found, problem: messages.reportProblem(subject, problem) }];
}

/** Removes the rest of a line whose beginning was not read. */
function withoutFirstLine(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

/** Removes the lines that the gauntlet writes before and after the output. */
function withoutOwnLines(text: string): string {
  return text.replace(OWN_BEGINNING, "").replace(OWN_END, "");
}

const OWN_BEGINNING =
  /^\[\d{4}-[^\]]*\] .*\n\[\d{4}-[^\]]*\] Command: [^\n]*\n(?: {4}[^\n]*\n)*\[\d{4}-[^\]]*\] Folder: [^\n]*\n/;
const OWN_END = /\n\[\d{4}-[^\]\n]{0,40}\] Result: [^\n]{0,2000}\n?$/;

async function writeList(
  runtime: HookRuntime,
  path: string | undefined,
  findings: readonly Finding[],
  leftOut: number
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const written = await runtime.writeFile(path, listFindings(findings, leftOut));
  return written.isOk() ? path : undefined;
}
