/** Writes the reports that `run --report FORMAT[=FILE]` requests (G50). */
import { constants } from "node:fs";
import { access, appendFile, mkdir, readlink, realpath, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { CliContext } from "@/cli/context";
import {
  annotations,
  markdown,
  MAX_SUMMARY_BYTES,
} from "@/node/services/gauntlet/run/reports/markdown";
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
        await refuseLeaving(cwd, await nearestExisting(dirname(path)));
        await mkdir(dirname(path), { recursive: true });
        await refuseLeaving(cwd, path);
        await writeFile(path, FORMATS[format](report), { flag: WITHOUT_WAITING });
      });
    }
  }
  return problems;
}

/** A named pipe without a reader is an error, because opening it would wait for one without end. */
const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = constants;
const WITHOUT_WAITING = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK;

/** Throws if a path in the folder leads out of it by links, which could come from a clone. */
async function refuseLeaving(cwd: string, path: string): Promise<void> {
  if (!path.startsWith(`${cwd}/`)) return;
  let target = join(await realpath(dirname(path)), basename(path));
  for (let i = 0; i < MAX_LINKS; i++) {
    const link = await readlink(target).catch(() => undefined);
    if (link === undefined) break;
    const next = resolve(dirname(target), link);
    target = join(await realpath(dirname(next)), basename(next));
  }
  if (`${target}/`.startsWith(`${await realpath(cwd)}/`)) return;
  throw new Error(`it is a link out of this folder, to ${target}; remove the link`);
}

async function nearestExisting(folder: string): Promise<string> {
  const exists = await access(folder).then(
    () => true,
    () => false
  );
  return exists ? folder : await nearestExisting(dirname(folder));
}

/** As many as Linux follows. */
const MAX_LINKS = 40;
