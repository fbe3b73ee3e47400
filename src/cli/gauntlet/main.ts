/** The command `agent-gauntlet`. */
import { CommanderError } from "commander";
import { processContext, type CliContext } from "@/cli/context";
import { complain } from "@/cli/gauntlet/complain";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { createProgram } from "@/cli/gauntlet/program";
import { describeError, errorCode } from "@/common/errors";

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
  // A run ends properly whatever becomes of its output. That is nobody's fault where whoever read has read enough.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: Error) => {
      if (GONE.has(errorCode(error))) return;
      process.on("exit", (code) => {
        if (code === EXIT.ok) process.exitCode = EXIT.failure;
      });
      if (stream === process.stdout) complain(process, `its output is lost: ${error.message}`);
    });
  }
  try {
    process.exitCode = await main(process.argv.slice(2), processContext());
  } catch (thrown) {
    // The only thing that fails before there is a context.
    complain(process, `the current folder cannot be used: ${describeError(thrown)}`);
    process.exitCode = EXIT.failure;
  }
}

/** The reader, or the terminal. */
const GONE: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);
