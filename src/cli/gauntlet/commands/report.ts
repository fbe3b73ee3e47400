/**
 * `mux-stop-hooks report`: writes the last result as an HTML page, and opens it if a terminal shows the output. Also
 * writes the reports that the options of `run` request, to files, to the output or for GitHub Actions (G50).
 */
import { posix, basename, dirname, join, resolve } from "node:path";
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import { inProject, type ConfiguredProject } from "@/cli/gauntlet/project";
import { createReport, type Report } from "@/node/services/gauntlet/run/reports/createReport";
import { MIB } from "@/common/limits";
import { shownCommand } from "@/common/ownCommandName";
import { visible } from "@/common/safeText";
import { findOnPath } from "@/node/runtime/process/startFailure";
import { shellWord } from "@/node/runtime/remote/shellLine";
import { REPORT_FILES, type ReportRequest } from "@/node/services/gauntlet/domain/runReportFormats";
import { latestReports } from "@/node/services/gauntlet/run/plan/gatesWithoutJob";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { parseResult } from "@/node/services/gauntlet/run/shards/mergeResults";
import * as runFiles from "@/node/services/gauntlet/state/runFiles";
import { constants, existsSync } from "node:fs";
import { appendFile, mkdir, readlink, realpath, writeFile } from "node:fs/promises";
import {
  annotations,
  markdown,
  MAX_SUMMARY_BYTES,
} from "@/node/services/gauntlet/run/reports/markdownAndAnnotations";
import { FORMATS } from "@/node/services/gauntlet/run/reports/writeReports";
import { describeError } from "@/common/errors";

const MAX_BYTES = 16 * MIB;
/** Programs that open a file for the user, on Linux, macOS and WSL. */
const OPENERS = ["xdg-open", "open", "wslview"];
const OPEN_MS = 5_000;

/** Runs `report`. @param options `open` is false with `--no-open` */
export async function report(
  options: { readonly open: boolean },
  context: CliContext
): Promise<ExitCode> {
  return await inProject(context, async (project) => {
    const { runtime, dir: projectDir, logDir, config } = project;
    const last = await findLast(project);
    if (last === undefined) {
      return printError(context, `no run has a result yet; run "${shownCommand()} run" first`);
    }
    const read = await runtime.readFile(last, { maxBytes: MAX_BYTES });
    const parsed = read
      .mapErr(({ message }) => `cannot be read: ${message}`)
      .andThen((bytes) => parseResult(Buffer.from(bytes).toString("utf8")));
    if (parsed.isErr()) return printError(context, `${visible(last)} ${parsed.error}`);
    const [stat] = await runtime.stat([last]);
    const endedAt = stat?.kind === "file" ? stat.mtimeMs : Date.now();
    const { status, ...details } = parsed.value;
    const page = await createReport({
      ...{ runtime, projectDir, logDir, config, env: context.env, startedAt: new Date(endedAt) },
      result: {
        ...createResult(status, details),
        message: details.message,
        // The file may have been moved since it was written.
        consoleLogPath: posix.join(
          posix.dirname(last),
          runFiles.consoleLogName(runFiles.runNumberOf(posix.basename(last)) ?? 0)
        ),
      },
    });
    const file = posix.join(logDir, REPORT_FILES.html);
    const [problem] = await writeReports([{ format: "html", file }], page, context);
    if (problem !== undefined) return printError(context, problem);
    context.stdout.write(`${visible(file)}\n`);
    if (options.open && context.stdout.isTTY === true) await openFile(file, project, context);
    return EXIT.ok;
  });
}

/** Returns the path of the latest result. A run that passes moves earlier results to another folder. */
async function findLast({ runtime, logDir }: ConfiguredProject): Promise<string | undefined> {
  for (const folder of [logDir, posix.join(logDir, runFiles.PREVIOUS_FOLDER)]) {
    const [run] = await latestReports(runtime, folder);
    if (run !== undefined) return posix.join(folder, runFiles.reportName(run));
  }
  return undefined;
}

/** Opens the page in a browser. The path is printed in any case, so a failure is not reported. */
async function openFile(
  file: string,
  { runtime, dir }: ConfiguredProject,
  { env }: CliContext
): Promise<void> {
  for (const name of OPENERS) {
    const program = await findOnPath(name, env.PATH);
    // A program of the project is not started: it may have come with a clone.
    if (program === undefined || program.startsWith(`${dir}/`)) continue;
    const script = `${shellWord(program)} ${shellWord(file)}`;
    await runtime.exec({ command: { script, shell: "/bin/sh" }, cwd: dir, timeoutMs: OPEN_MS });
    return;
  }
}

/** Writes the reports. @returns a message for each that could not be written */
export async function writeReports(
  requests: readonly ReportRequest[],
  report: Report,
  { stdout, stderr, env, cwd }: Pick<CliContext, "stdout" | "stderr" | "env" | "cwd">
): Promise<string[]> {
  const isPrinted = requests.some(({ format, file }) => format !== "github" && file === undefined);
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
      (isPrinted ? stderr : stdout).write(annotations(report));
      const summary = env.GITHUB_STEP_SUMMARY;
      if (summary === undefined || summary === "") continue;
      await write(summary, (path) => appendFile(path, markdown(report, MAX_SUMMARY_BYTES)));
    } else if (file === undefined) {
      stdout.write(FORMATS[format](report));
    } else {
      await write(file, async (path) => {
        await refuseLeaving(cwd, nearestExisting(dirname(path)));
        await mkdir(dirname(path), { recursive: true });
        await refuseLeaving(cwd, path);
        await writeFile(path, FORMATS[format](report), { flag: WITHOUT_WAITING });
      });
    }
  }
  return problems;
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK } = constants;
/** Flags to open a file, and to fail for a named pipe without a reader instead of waiting for a reader without end. */
const WITHOUT_WAITING = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK;

/** Throws if a path in the current folder leads out of it by links, which could come from a clone. */
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

/** Returns the folder if it exists, else the nearest one that contains it. */
function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

/** The maximum number of links to follow, as on Linux. */
const MAX_LINKS = 40;
