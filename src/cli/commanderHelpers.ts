/**
 * Creates and runs the command-line parsers (commander) of `mux-stop-hooks` and `mux-stop-hooks hooks`. Makes their
 * actions, which load the code of a subcommand when it is called, and parses options that are whole numbers.
 */
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { EXIT, knownSize, type CliContext, type ExitCode } from "@/cli/context";
import { guarded } from "@/cli/runAsProcess";

/** Receives the exit code of the command. */
export type ExitProcess = (code: number) => void;

/**
 * A function that makes the action of a command from a loader of the command's function. That function receives the
 * arguments, the options and the context.
 */
export type LazyAction = ReturnType<typeof lazyAction>;

/** Returns a maker of actions that load their function when they are called, and pass its exit code to `end`. */
export function lazyAction(context: CliContext, end: ExitProcess) {
  return <Args extends unknown[]>(
    load: () => Promise<(...args: [...Args, CliContext]) => Promise<number>>
  ) =>
    async (...given: [...Args, Command]): Promise<void> => {
      // Commander adds the command itself.
      const args = given.slice(0, -1) as Args;
      const run = await load();
      end(await run(...args, context));
    };
}

const DEFAULT_WIDTH = 100;

/** Creates a program without commands, which prints to the context. */
export function newProgram(name: string, about: string, { stdout, stderr }: CliContext): Command {
  return (
    new Command(name)
      .description(about)
      .usage("<command> [options]")
      .exitOverride()
      .configureOutput({
        writeOut: (text) => stdout.write(text),
        writeErr: (text) => stderr.write(text),
        getOutHelpWidth: () => knownSize(stdout.columns, DEFAULT_WIDTH),
        getErrHelpWidth: () => knownSize(stderr.columns, DEFAULT_WIDTH),
      })
      // For the help only: bin/agent-gauntlet.cjs handles it before this module is loaded.
      .option("-V, --version", "print the version")
      .helpCommand(false)
  );
}

/** Parses the arguments and runs the command. Never throws; prints every error to standard error. */
export async function runCommander(
  args: readonly string[],
  given: CliContext,
  createProgram: (context: CliContext, end: ExitProcess) => Command
): Promise<ExitCode> {
  return await guarded(given, async (context) => {
    let code: ExitCode = EXIT.ok;
    const program = createProgram(context, (ended) => (code = ended));
    try {
      await program.parseAsync(args, { from: "user" });
      return code;
    } catch (thrown) {
      if (!(thrown instanceof CommanderError)) throw thrown;
      return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    }
  });
}

/** Returns a parser of an option's value as a whole number in a range. */
export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,6}$/.test(value) ? Number(value) : -1;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}
