/** Writes the reports that `run --report FORMAT[=FILE]` requests (G50). */
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { CliContext } from "@/cli/context";
import { annotations } from "@/node/services/gauntlet/run/reports/github";
import { markdown, MAX_SUMMARY_BYTES } from "@/node/services/gauntlet/run/reports/markdown";
import type { Report } from "@/node/services/gauntlet/run/reports/report";
import { FORMATS } from "@/node/services/gauntlet/run/reports/writeReports";
import type { ReportRequest } from "@/node/services/gauntlet/domain/reports";
import { describeError } from "@/common/errors";

/** Writes the reports. @returns a message for each that could not be written */
export async function writeReports(
  requests: readonly ReportRequest[],
  report: Report,
  { stdout, env, cwd }: Pick<CliContext, "stdout" | "env" | "cwd">
): Promise<string[]> {
  const problems: string[] = [];
  const write = async (file: string, act: (path: string) => Promise<void>): Promise<void> => {
    try {
      await act(resolve(cwd, file));
    } catch (thrown) {
      problems.push(`the report ${file} could not be written: ${describeError(thrown)}`);
    }
  };
  for (const { format, file } of requests) {
    if (format === "github") {
      stdout.write(annotations(report));
      const summary = env.GITHUB_STEP_SUMMARY;
      if (summary === undefined || summary === "") continue;
      await write(summary, (path) => appendFile(path, markdown(report, MAX_SUMMARY_BYTES)));
    } else if (file === undefined) {
      stdout.write(FORMATS[format](report));
    } else {
      await write(file, async (path) => {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, FORMATS[format](report));
      });
    }
  }
  return problems;
}
