/**
 * Finds and parses the report files that a check wrote: those that match a glob and changed since it began, or the one
 * at the path in `GAUNTLET_REPORT`, with limits on their size and number (G37). Also parses a report in a check's
 * output.
 */
import { stampOf } from "@/node/runtime/fileContents";
import { posix } from "node:path";
import picomatch from "picomatch";
import { MIB } from "@/common/limits";
import { visible } from "@/common/safeText";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import * as findings from "@/node/services/gauntlet/domain/findings/finding";
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import type { ToolOutput } from "@/node/services/gauntlet/gates/findings/matchOutput";
import { realFolders, type Folders } from "@/node/services/gauntlet/gates/findings/resolvePaths";
import { parseJson } from "@/common/json";
import * as jsonReports from "@/node/services/gauntlet/gates/findings/formats/jsonReports";
import * as messages from "@/node/services/gauntlet/messages/shared";

const MAX_REPORT_BYTES = 8 * MIB;
const MAX_REPORTS = 50;

export interface ReportsRequest extends Folders {
  /** Absent: all built-in matchers. */
  readonly sources: readonly findings.FindingsSource[] | undefined;
  readonly logPath: string;
  /** The reports before the command started. */
  readonly reports: ReportStamps;
}

/** Returns the parsed report files of all sources. */
export async function readReports(
  runtime: HookRuntime,
  { sources = [], reports, projectDir, folder, logPath }: ReportsRequest
): Promise<ToolOutput[]> {
  const parsed: ToolOutput[] = [];
  const add = (tool: string, report: reader.ParsedReport): void =>
    void parsed.push({ tool, ...report });
  for (const source of sources) {
    if (source.kind !== "report" || !findings.isReportFile(source)) continue;
    const { glob, format } = source;
    const written = await writtenBy(runtime, source, { reports, folder, logPath });
    const subject = glob ?? findings.REPORT_VARIABLE;
    if (written.length === 0)
      add(format, problem(subject, "matches no file that the command wrote"));
    if (written.length > MAX_REPORTS)
      add(format, {
        ...problem(subject, `matches more than ${MAX_REPORTS} files; only these are read`),
        hasMore: true,
      });
    const paths = written.slice(0, MAX_REPORTS);
    const root = glob === undefined ? posix.dirname(logPath) : projectDir;
    const real = paths.length === 0 ? undefined : await realFolders(runtime, root, paths);
    // One after another, so that only one is in memory.
    for (const path of paths) {
      const report =
        real?.inside.has(path) === true
          ? await readOne(runtime, path, format)
          : problem(path, "is ignored, because it is outside of the project or a symbolic link");
      add(format, report);
    }
  }
  return parsed;
}

/** Returns the files that the command wrote for a source. */
async function writtenBy(
  runtime: HookRuntime,
  { glob }: { readonly glob?: string },
  { reports, folder, logPath }: Omit<ReportsRequest, "sources" | "projectDir">
): Promise<string[]> {
  if (glob === undefined) {
    const path = findings.reportPath(logPath);
    const [stat] = await runtime.stat([path]);
    return stat?.kind === "file" ? [path] : [];
  }
  const all = await filesOf(runtime, folder, glob);
  return all.flatMap(([path, stamp]) => (reports.get(path) === stamp ? [] : [path]));
}

async function readOne(
  runtime: HookRuntime,
  path: string,
  format: findings.ReportFormat
): Promise<reader.ParsedReport> {
  const read = await runtime.readFile(path, { maxBytes: MAX_REPORT_BYTES + 1 });
  if (read.isErr()) return problem(path, messages.notReadable(read.error.message));
  const isCut = read.value.byteLength > MAX_REPORT_BYTES;
  const parsed = await parseReport(format, new TextDecoder().decode(read.value));
  const why = isCut ? `is larger than ${MAX_REPORT_BYTES / MIB} MiB` : parsed.problem;
  return why === undefined ? parsed : { ...problem(path, why, parsed.found), hasMore: isCut };
}

function problem(
  subject: string,
  why: string,
  found: readonly reader.RawFinding[] = []
): reader.ParsedReport {
  return { found, problem: messages.reportProblem(visible(subject), visible(why)) };
}

/** Parses the text of a report file. Never throws. */
export async function parseReport(
  format: findings.ReportFormat,
  text: string
): Promise<reader.ParsedReport> {
  const plain = text.replace(/^\uFEFF/, "");
  if (format === "junit") {
    const { parseJunit } = await import("@/node/services/gauntlet/gates/findings/formats/junit");
    return parseJunit(plain);
  }
  return parseJson(plain).match<reader.ParsedReport>(
    (json) => toReport(jsonReports.JSON_READERS[format](json)),
    (why) => ({ found: [], problem: `cannot be parsed: ${why}` })
  );
}

/** Parses a report that a tool printed among other lines. */
export function parseOutput(format: jsonReports.JsonFormat, text: string): reader.ParsedReport {
  return toReport(jsonReports.readInOutput(format, text));
}

function toReport(found: readonly reader.RawFinding[] | undefined): reader.ParsedReport {
  return found === undefined
    ? { found: [], problem: messages.NOT_THIS_FORMAT }
    : { found: found.slice(0, reader.MAX_RAW_FINDINGS) };
}

/** The state of each report by its absolute path. */
export type ReportStamps = ReadonlyMap<string, string>;

const MAX_VISITED = 5_000;
const MAX_DEPTH = 12;
const UNSEARCHED = new Set(["node_modules", ".git"]);

type Reads = Pick<HookRuntime, "stat" | "list">;

/** Returns the state of the files that the globs match; of too many files, only that of some. Never rejects. */
export async function stampReports(
  files: Reads,
  folder: string,
  globs: readonly string[]
): Promise<ReportStamps> {
  const found = await Promise.all(globs.map((glob) => filesOf(files, folder, glob)));
  return new Map(found.flat());
}

/** Returns the files of one glob, with the state of each. */
async function filesOf(files: Reads, folder: string, glob: string): Promise<[string, string][]> {
  const normal = posix.normalize(glob);
  const { base, isGlob } = picomatch.scan(normal);
  if (!isGlob) {
    const path = posix.join(folder, normal);
    const [stat] = await files.stat([path]);
    return stat?.kind === "file" ? [[path, stampOf(stat)]] : [];
  }
  const isMatch = picomatch(normal, { dot: true });
  const depth = normal.includes("**") ? MAX_DEPTH : normal.split("/").length;
  const found: [string, string][] = [];
  let folders = [base];
  let visited = 0;
  for (let level = 0; level < depth && folders.length > 0; level++) {
    const listed = await Promise.all(
      folders.map(async (name) => {
        const names = (await files.list(posix.join(folder, name))).unwrapOr([]);
        return names.map((entry) => posix.join(name, entry));
      })
    );
    const entries = listed
      .flat()
      .sort()
      .slice(0, MAX_VISITED - visited);
    visited += entries.length;
    const stats = await files.stat(entries.map((entry) => posix.join(folder, entry)));
    folders = [];
    for (const [i, entry] of entries.entries()) {
      const stat = stats[i];
      if (stat?.kind === "directory" && !UNSEARCHED.has(posix.basename(entry))) folders.push(entry);
      if (stat?.kind === "file" && isMatch(entry)) {
        found.push([posix.join(folder, entry), stampOf(stat)]);
      }
    }
  }
  return found;
}
