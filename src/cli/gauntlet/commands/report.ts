/** `mux-stop-hooks report`: writes the result of the last run as a page, and opens it (G50). */
import { posix } from "node:path";
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import { inProject, type ConfiguredProject } from "@/cli/gauntlet/project";
import { createReport } from "@/node/services/gauntlet/run/reports/report";
import { writeReports } from "@/cli/gauntlet/report/writeReports";
import { MIB } from "@/common/limits";
import { ownCommand } from "@/common/ownCommand";
import { visible } from "@/common/text";
import { findOnPath } from "@/node/runtime/process/startFailure";
import { shellWord } from "@/node/runtime/remote/shellLine";
import { REPORT_FILES } from "@/node/services/gauntlet/domain/reports";
import { latestReports } from "@/node/services/gauntlet/run/logs/unresolvedGates";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { parseResult } from "@/node/services/gauntlet/run/shards/mergeResults";
import {
  consoleLogName,
  PREVIOUS_FOLDER,
  reportName,
  runNumberOf,
} from "@/node/services/gauntlet/state/runFiles";

const MAX_BYTES = 16 * MIB;
/** Programs that open a file for the user, on Linux, macOS and WSL. */
const OPENERS = ["xdg-open", "open", "wslview"];
const OPEN_MS = 5_000;

/** @param options `open` is false with `--no-open` */
export async function report(
  options: { readonly open: boolean },
  context: CliContext
): Promise<ExitCode> {
  return await inProject(context, async (project) => {
    const { runtime, dir: projectDir, logDir, config } = project;
    const last = await findLast(project);
    if (last === undefined) {
      return printError(context, `no run has a result yet; run "${ownCommand()} run" first`);
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
          consoleLogName(runNumberOf(posix.basename(last)) ?? 0)
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

/** Returns the result of the latest run. A run that passes moves the results before it. */
async function findLast({ runtime, logDir }: ConfiguredProject): Promise<string | undefined> {
  for (const folder of [logDir, posix.join(logDir, PREVIOUS_FOLDER)]) {
    const [run] = await latestReports(runtime, folder);
    if (run !== undefined) return posix.join(folder, reportName(run));
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
