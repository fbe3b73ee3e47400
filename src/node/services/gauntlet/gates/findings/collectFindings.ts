/**
 * Collects the findings of a check from its log and its report files, and writes a list of them for people and agents
 * (G37). Also collects its tests and the last lines of its output, by which rules compare two runs (G46 to G49).
 */
import { describeError } from "@/common/errors";
import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import * as findingTypes from "@/node/services/gauntlet/domain/findings/finding";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import * as listing from "@/node/services/gauntlet/gates/findings/formatFindings";
import {
  matchProjectPatterns,
  readTools,
  type ToolOutput,
} from "@/node/services/gauntlet/gates/findings/matchOutput";
import { outputChunks, outputLines } from "@/node/services/gauntlet/gates/findings/outputLines";
import * as reportFiles from "@/node/services/gauntlet/gates/findings/readReports";
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import { resolvePaths } from "@/node/services/gauntlet/gates/findings/resolvePaths";
import * as messages from "@/node/services/gauntlet/messages/shared";

const STANDARD_OUTPUT = "the output";

const MAX_OUTPUT_BYTES = 8 * MIB;
/** The limit without `findings`, since it is not known whether there are any. */
const MAX_GUESSED_BYTES = MIB / 2;
const MAX_FINDINGS = 1_000;
const MAX_PASSED = 20_000;

/** The facts of a run of a check besides its findings, for rules that compare two runs (G46 to G49). */
export interface CheckEvidence {
  /** Absent if it did not exit by itself. */
  readonly exitCode?: number | undefined;
  /** The number of tests, by the tool that printed or wrote findings or tests. */
  readonly tools: ReadonlyMap<string, reader.TestCounts>;
  /** The names of failed tests that no other test of the project has. */
  readonly unique: ReadonlySet<string>;
  /** The tests that passed, as far as they are named. Paths are relative to the project. */
  readonly passed: readonly reader.NamedTest[];
  /** The last lines of its output, without control sequences. */
  readonly lines: readonly string[];
  /** Whether its output has more lines than these. */
  readonly isOutputCut: boolean;
  /** Whether there may be more findings than are read. */
  readonly hasMore: boolean;
  /** The problem with a report that could not be read. */
  readonly reportProblem?: string | undefined;
}

const NO_EVIDENCE: CheckEvidence = {
  tools: new Map(),
  unique: new Set(),
  passed: [],
  lines: [],
  isOutputCut: false,
  hasMore: false,
};

export interface FindingsRequest extends reportFiles.ReportsRequest {
  /** Whether the check passed, so that only the names of its tests are needed. */
  readonly hasPassed?: boolean;
  /** Absolute. Absent: no list is written. */
  readonly findingsPath?: string;
  /** Whether a file, relative to the project, changed in the comparison. Absent: none has. */
  readonly isChanged?: (file: string) => boolean;
  /** The lines that the gauntlet writes to a log, before and after the output. */
  readonly own: Readonly<Record<"header" | "footer", string>>;
}

interface Collected {
  readonly result: Pick<GateResult, "findings" | "findingsPath" | "findingsProblem">;
  readonly evidence: CheckEvidence;
}

/** Collects the findings and the evidence. Never rejects, because findings never decide about the outcome. */
export async function collectFindings(
  runtime: HookRuntime,
  request: FindingsRequest
): Promise<Collected> {
  return await collect(runtime, request).catch((thrown: unknown) => ({
    result: { findingsProblem: describeError(thrown) },
    evidence: NO_EVIDENCE,
  }));
}

async function collect(runtime: HookRuntime, request: FindingsRequest): Promise<Collected> {
  const { isChanged = () => false, findingsPath, hasPassed } = request;
  const output = await readOutput(runtime, request);
  const reports = await reportFiles.readReports(runtime, request);
  const outputs = [...output.tools, ...reports];
  const raw = outputs.flatMap(({ found }) => found);
  const passed = outputs.flatMap(({ tests }) => tests?.names ?? []).slice(0, MAX_PASSED);
  const problems = [...output.problems, ...reports.flatMap(({ problem }) => problem ?? [])];
  const testFiles = raw.map(({ testFile }) => ({ file: testFile }));
  const paths = await resolvePaths(runtime, request, [...raw, ...passed, ...testFiles]);
  const testPaths = paths.slice(raw.length + passed.length);
  const all = listing.orderFindings(
    raw.map((one, i) => listing.cleanFinding(one, paths[i], testPaths[i])),
    isChanged
  );
  const findings = all.slice(0, MAX_FINDINGS);
  const leftOut = all.length - findings.length;
  const isStopped = output.hasMore || outputs.some(({ hasMore }) => hasMore === true);
  const isFull = isStopped || raw.length >= reader.MAX_RAW_FINDINGS;
  const count = `${isFull ? "at least " : ""}${all.length}`;
  if (leftOut > 0) problems.push(`only ${findings.length} of ${count} are listed`);
  const tools = new Map<string, reader.TestCounts>();
  for (const { tool, found, tests } of outputs) {
    const before = tools.get(tool);
    const unseen = (before?.unseen ?? 0) + countUnseen(found, tests);
    tools.set(tool, { ...reader.addUp([before, tests]), unseen });
  }
  const evidence: CheckEvidence = {
    tools,
    unique: uniqueNames(outputs),
    passed: passed.map(({ test }, i) => ({ test, file: paths[raw.length + i] })),
    // Another checkout of the project prints the same lines.
    lines: output.lines.map((line) => line.replaceAll(`${request.projectDir}/`, "./")),
    isOutputCut: output.isCut,
    hasMore: leftOut > 0 || isFull,
    reportProblem: reports.find(({ problem }) => problem !== undefined)?.problem,
  };
  const findingsProblem = problems.length === 0 ? undefined : problems.join("; ");
  if (findings.length === 0 || hasPassed === true) return { result: { findingsProblem }, evidence };
  const written =
    findingsPath !== undefined &&
    (await runtime.writeFile(findingsPath, listing.listFindings(findings, leftOut))).isOk();
  return {
    result: { findingsProblem, findings, findingsPath: written ? findingsPath : undefined },
    evidence,
  };
}

/** Tools that name a test by its file, its package or its class. */
const NAMES_PLACE = new Set("pytest rustc minitest phpunit surefire gradle dotnet".split(" "));
/** A module, a path or a class with its package. */
const QUALIFIED = /^[\w$-]+(?:[./\\][\w$-]+)+ > /;

/**
 * Returns the names of failed tests that no other test has. Go prints several lines for a test; for the other tools, a
 * name that occurs twice may be of two tests.
 */
function uniqueNames(outputs: readonly ToolOutput[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { tool, found } of outputs) {
    for (const { test } of found) {
      if (test === undefined) continue;
      const isUnique = NAMES_PLACE.has(tool) || (tool === "junit" && QUALIFIED.test(test));
      if (tool === "go") counts.set(test, 1);
      else if (isUnique) counts.set(test, (counts.get(test) ?? 0) + 1);
    }
  }
  return new Set([...counts].flatMap(([test, count]) => (count === 1 ? test : [])));
}

/** Counts the failed tests that a tool counts without naming them. Several findings may be of one test. */
function countUnseen(found: readonly reader.RawFinding[], tests?: reader.TestCounts): number {
  const errors = found.filter(({ severity }) => severity === "error");
  const named = new Set(errors.flatMap(({ test }) => test ?? []));
  return Math.max(0, (tests?.failed ?? 0) - named.size);
}

interface ReadOutput {
  readonly tools: readonly ToolOutput[];
  readonly problems: readonly string[];
  readonly lines: readonly string[];
  readonly isCut: boolean;
  /** Whether problems may be in the part that was not parsed. */
  readonly hasMore: boolean;
}

/** Parses the output in the log, for all sources that are not files. */
async function readOutput(
  runtime: HookRuntime,
  { sources, logPath, hasPassed, own }: FindingsRequest
): Promise<ReadOutput> {
  const isParsed = sources?.some((source) => !findingTypes.isReportFile(source)) === true;
  const isNeeded = isParsed || sources === undefined;
  const maxBytes = isParsed ? MAX_OUTPUT_BYTES : MAX_GUESSED_BYTES;
  const read = await runtime.readFile(logPath, { maxBytes, tail: true });
  if (read.isErr()) {
    const why = messages.reportProblem(STANDARD_OUTPUT, messages.notReadable(read.error.message));
    const problems = isNeeded ? [why] : [];
    return { tools: [], problems, lines: [], isCut: true, hasMore: isNeeded };
  }
  const isCut = read.value.byteLength === maxBytes;
  const all = new TextDecoder().decode(read.value);
  // The beginning of the first line was not read.
  const from = isCut ? all.indexOf("\n") + 1 : all.startsWith(own.header) ? own.header.length : 0;
  const isWhole = own.footer !== "" && all.endsWith(own.footer);
  const text = isWhole ? all.slice(from, -own.footer.length).replace(/\n$/, "") : all.slice(from);
  const output = outputChunks(text);
  const lines = outputLines(text.slice(-MAX_GUESSED_BYTES));
  const rest = {
    lines,
    isCut: isCut || text.length > MAX_GUESSED_BYTES,
    hasMore: isNeeded && (isCut || output.isCut),
  };
  if (sources === undefined) {
    const formats = hasPassed === true ? findingTypes.TEST_FORMATS : findingTypes.OUTPUT_FORMATS;
    return { tools: readTools(formats, output), problems: [], ...rest };
  }
  const matchers = sources.flatMap((one) => (one.kind === "matcher" ? [one.matcher] : []));
  const parsed = [
    ...sources.flatMap((source) => parseSource(source, text)),
    ...(matchers.length === 0
      ? []
      : [{ tool: "pattern", ...matchProjectPatterns(matchers, output) }]),
  ];
  const formats = sources.flatMap((one) => (one.kind === "output" ? [one.format] : []));
  return {
    tools: [...readTools(formats, output), ...parsed.filter(({ found }) => found.length > 0)],
    problems: parsed.flatMap(({ problem }) => problem ?? []),
    ...rest,
  };
}

function parseSource(source: findingTypes.FindingsSource, text: string): readonly ToolOutput[] {
  if (source.kind !== "report" || source.glob !== undefined || source.format === "junit") return [];
  const { format: tool } = source;
  const { found, problem } = reportFiles.parseOutput(tool, text);
  const subject = `${STANDARD_OUTPUT} (${tool})`;
  return [{ tool, found, problem: problem && messages.reportProblem(subject, problem) }];
}
