/**
 * Writes the reports that the configuration requests, on the project's machine, and returns a message for each that
 * could not be written (G50). Does not replace a file that git tracks, or write through a symbolic link. Also has the
 * table of formats, which the command `report` uses.
 */
import { posix } from "node:path";
import { err } from "neverthrow";
import { describeError } from "@/common/errors";
import { visible } from "@/common/safeText";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { isTracked } from "@/node/services/gauntlet/change/git/gitQueries";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { REPORT_FILES, type FileFormat } from "@/node/services/gauntlet/domain/runReportFormats";
import { realFolders } from "@/node/services/gauntlet/gates/findings/resolvePaths";
import { ctrf, gitlab, json, sarif } from "@/node/services/gauntlet/run/reports/jsonReports";
import { html, junit } from "@/node/services/gauntlet/run/reports/htmlAndJunit";
import { markdown } from "@/node/services/gauntlet/run/reports/markdownAndAnnotations";
import * as reporting from "@/node/services/gauntlet/run/reports/createReport";

export const FORMATS: Readonly<Record<FileFormat, (report: reporting.Report) => string>> = {
  markdown,
  junit,
  sarif,
  gitlab,
  ctrf,
  json,
  html,
};

/** Writes the reports of a run. Never throws. @returns a message for each that could not be written */
export async function writeConfigured(
  run: reporting.ReportedRun,
  { reports = [] }: Pick<GauntletConfig, "reports">
): Promise<string[]> {
  const { runtime, projectDir, logDir } = run;
  const problems: string[] = [];
  try {
    if (reports.length === 0) return problems;
    const report = await reporting.createReport(run);
    for (const { format, file } of reports) {
      const [folder, name] =
        file === undefined ? [logDir, REPORT_FILES[format]] : [projectDir, file];
      const fault = file === undefined ? undefined : await findFault(runtime, projectDir, file);
      const text = fault === undefined ? FORMATS[format](report) : "";
      const options = { isDisposable: true, ...(file === undefined ? {} : { mode: 0o644 }) };
      const written =
        fault === undefined
          ? await runtime.writeFile(posix.join(folder, name), text, options)
          : err({ message: fault });
      if (written.isErr()) {
        problems.push(
          `the report ${visible(name)} could not be written: ${visible(written.error.message)}`
        );
      }
    }
  } catch (thrown) {
    problems.push(`the reports could not be written: ${describeError(thrown)}`);
  }
  return problems;
}

/** Returns why a file of the project cannot be replaced: it is not a report, or a link leads elsewhere. */
async function findFault(
  runtime: HookRuntime,
  cwd: string,
  file: string
): Promise<string | undefined> {
  if (await isTracked(runtime, cwd, file)) {
    return "git tracks it, so it would be a change; name another file in the key report of .gauntlet/config.yml";
  }
  const parts = file.split("/");
  const paths = parts.map((_, i) => posix.join(cwd, ...parts.slice(0, i + 1)));
  const [stats, real] = await Promise.all([runtime.stat(paths), realFolders(runtime, cwd, paths)]);
  const missing = stats.findIndex((stat) => stat.kind === "missing" && stat.dangling !== true);
  const existing = missing === -1 ? paths : paths.slice(0, missing);
  return existing.every((path) => real?.inside.has(path) === true)
    ? undefined
    : "a part of its path is a symbolic link";
}
