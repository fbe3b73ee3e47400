/** The command `agent-gauntlet`. */
import { asProcess } from "@/cli/asProcess";
import { obey } from "@/cli/commandLine";
import type { CliContext } from "@/cli/context";
import { complain } from "@/cli/gauntlet/complain";
import type { ExitCode } from "@/cli/gauntlet/exitCodes";
import { createProgram } from "@/cli/gauntlet/program";

/** Does what the command line says. Never throws; whatever goes wrong is said on standard error. */
export async function main(args: readonly string[], context: CliContext): Promise<ExitCode> {
  return await obey(args, context, createProgram, complain);
}

/** {@link main} with this process's own arguments, streams and exit code. */
export async function runProcess(): Promise<void> {
  await asProcess((context) => main(process.argv.slice(2), context), complain);
}
