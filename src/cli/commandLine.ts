/** A command line, obeyed: what both programs make of it. */
import { CommanderError, type Command } from "commander";
import type { CliContext } from "@/cli/context";
import { EXIT } from "@/cli/exitCodes";
import { withTerminalOutput } from "@/cli/terminalOutput";
import { describeError } from "@/common/errors";

/** Says what went wrong on standard error. @returns the exit code that goes with it */
export type PrintError = (to: Pick<CliContext, "stderr">, message: string) => number;

/** Called with the exit code of the command that was called. */
export type ExitProcess = (code: number) => void;

/** Does what the command line says. Never throws; whatever goes wrong is said on standard error. */
export async function runCommander(
  args: readonly string[],
  given: CliContext,
  createProgram: (context: CliContext, end: ExitProcess) => Command,
  printError: PrintError
): Promise<number> {
  const context = withTerminalOutput(given);
  let code: number = EXIT.ok;
  const program = createProgram(context, (ended) => (code = ended));
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return printError(context, describeError(thrown));
  }
}
