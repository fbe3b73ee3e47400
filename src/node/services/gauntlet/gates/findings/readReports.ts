/** Reads the reports that a command wrote: inside the project, with limits on their size and number (G37). */
import { posix } from "node:path";
import { MIB } from "@/common/limits";
import { visible } from "@/common/text";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import {
  isReportFile,
  reportPath,
  REPORT_VARIABLE,
  type FindingsSource,
  type ReportFormat,
} from "@/node/services/gauntlet/domain/findings/finding";
import { parseReport } from "@/node/services/gauntlet/gates/findings/parseReport";
import type { ParsedReport } from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { filesOf, type ReportStamps } from "@/node/services/gauntlet/gates/findings/reportFiles";
import { realFolders, type Folders } from "@/node/services/gauntlet/gates/findings/resolvePaths";
import * as messages from "@/node/services/gauntlet/messages/shared";

const MAX_REPORT_BYTES = 8 * MIB;
const MAX_REPORT_SIZE = "8 MiB";
const MAX_REPORTS = 50;

/** The report of one tool. Without a `problem`, the tool wrote it. */
export type WrittenReport = ParsedReport & { readonly tool: string };

export interface ReportsRequest extends Folders {
  /** Absent: all built-in matchers. */
  readonly sources: readonly FindingsSource[] | undefined;
  readonly logPath: string;
  /** The reports before the command started. */
  readonly reports: ReportStamps;
}

export async function readReports(
  runtime: HookRuntime,
  { sources = [], reports, projectDir, folder, logPath }: ReportsRequest
): Promise<WrittenReport[]> {
  const parsed: WrittenReport[] = [];
  const add = (tool: string, report: ParsedReport): void => void parsed.push({ tool, ...report });
  for (const source of sources) {
    if (source.kind !== "report" || !isReportFile(source)) continue;
    const { glob, format } = source;
    const written = await writtenBy(runtime, source, { reports, folder, logPath });
    const subject = glob ?? REPORT_VARIABLE;
    if (written.length === 0)
      add(format, problem(subject, "matches no file that the command wrote"));
    if (written.length > MAX_REPORTS)
      add(format, problem(subject, `matches more than ${MAX_REPORTS} files; only these are read`));
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
    const path = reportPath(logPath);
    const [stat] = await runtime.stat([path]);
    return stat?.kind === "file" ? [path] : [];
  }
  const all = await filesOf(runtime, folder, glob);
  return all.flatMap(([path, stamp]) => (reports.get(path) === stamp ? [] : [path]));
}

async function readOne(
  runtime: HookRuntime,
  path: string,
  format: ReportFormat
): Promise<ParsedReport> {
  const read = await runtime.readFile(path, { maxBytes: MAX_REPORT_BYTES + 1 });
  if (read.isErr()) return problem(path, messages.notReadable(read.error.message));
  const isCut = read.value.byteLength > MAX_REPORT_BYTES;
  const parsed = await parseReport(format, new TextDecoder().decode(read.value));
  const why = isCut ? `is larger than ${MAX_REPORT_SIZE}` : parsed.problem;
  return why === undefined ? parsed : { ...problem(path, why), found: parsed.found };
}

function problem(subject: string, why: string): ParsedReport {
  return { found: [], problem: messages.reportProblem(visible(subject), visible(why)) };
}
