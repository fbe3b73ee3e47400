/** Runs a command line; shared by both programs. */
import { CommanderError, type Command } from "commander";
import type { CliContext } from "@/cli/context";
import { EXIT } from "@/cli/exitCodes";
import { withTerminalOutput } from "@/cli/terminalOutput";
import { describeError } from "@/common/errors";

/** Prints an error message to standard error. @returns the matching exit code */
export type PrintError = (to: Pick<CliContext, "stderr">, message: string) => number;

/** Receives the exit code of the command. */
export type ExitProcess = (code: number) => void;

/** Makes the action of a command from what loads its function, which takes its arguments, its options and the context. */
export type LazyAction = <Args extends unknown[]>(
  load: () => Promise<(...args: [...Args, CliContext]) => Promise<number>>
) => (...given: [...Args, Command]) => Promise<void>;

export function lazyAction(context: CliContext, end: ExitProcess): LazyAction {
  return <Args extends unknown[]>(
    load: () => Promise<(...args: [...Args, CliContext]) => Promise<number>>
  ) =>
    async (...given: [...Args, Command]) => {
      // Commander adds the command itself.
      const args = given.slice(0, -1) as Args;
      const run = await load();
      end(await run(...args, context));
    };
}

/** Parses the arguments and runs the command. Never throws; prints every error to standard error. */
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
