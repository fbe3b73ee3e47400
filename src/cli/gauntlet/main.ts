/** The command `agent-gauntlet`. */
import { runAsProcess } from "@/cli/runAsProcess";
import { runCommander } from "@/cli/commandLine";
import type { CliContext } from "@/cli/context";
import { printError } from "@/cli/render/printError";
import type { ExitCode } from "@/cli/exitCodes";
import { createProgram } from "@/cli/gauntlet/program";

/** Runs the command line. Never throws; errors are printed on standard error. */
export async function main(args: readonly string[], context: CliContext): Promise<ExitCode> {
  return await runCommander(args, context, createProgram, printError);
}

/** Runs {@link main} with this process's own arguments, streams and exit code. */
export async function runProcess(): Promise<void> {
  await runAsProcess((context) => main(process.argv.slice(2), context), printError);
}
