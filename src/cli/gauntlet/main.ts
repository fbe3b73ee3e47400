/** The command `agent-gauntlet`. */
import { CommanderError } from "commander";
import type { CliContext } from "@/cli/context";
import { complain } from "@/cli/gauntlet/complain";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { asProcess } from "@/cli/gauntlet/process";
import { createProgram } from "@/cli/gauntlet/program";
import { describeError } from "@/common/errors";

/** Does what the command line says. Never throws; whatever goes wrong is said on standard error. */
export async function main(args: readonly string[], context: CliContext): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = createProgram(context, (ended) => (code = ended));
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return complain(context, describeError(thrown));
  }
}

/** {@link main} with this process's own arguments, streams and exit code. */
export async function runProcess(): Promise<void> {
  await asProcess((context) => main(process.argv.slice(2), context));
}
