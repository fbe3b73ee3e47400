/**
 * Runs a command with the streams and the exit code of this process. It fails if its output cannot be written, unless the
 * reader has closed it. `guarded` wraps a command so that its output is escaped and what it throws is printed.
 */
import { EXIT, printError, processContext, type CliContext, type ExitCode } from "@/cli/context";
import { findOwnCommand } from "@/cli/findOwnCommand";
import { withTerminalOutput } from "@/cli/escapedOutput";
import { setOwnCommand } from "@/common/ownCommandName";
import { describeError, errorCode } from "@/common/errors";
import { plainText } from "@/common/safeText";

/** Runs `act` and sets the exit code of the process. Never rejects. */
export async function runAsProcess(act: (context: CliContext) => Promise<ExitCode>): Promise<void> {
  // A command runs to its end even if its output fails. It is not a failure if the reader has closed the pipe.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: Error) => {
      if (GONE.has(errorCode(error))) return;
      process.on("exit", (code) => {
        if (code === EXIT.ok) process.exitCode = EXIT.failure;
      });
      if (stream === process.stdout)
        printError(process, plainText(`the output could not be written: ${error.message}`));
    });
  }
  // Node ends a process that waits only for something that does not keep it alive. That is not a success.
  process.exitCode = EXIT.failure;
  try {
    const context = processContext();
    setOwnCommand(() => findOwnCommand(context));
    process.exitCode = await act(context);
  } catch (thrown) {
    // Only reading the current folder can fail before there is a context.
    const why = `the current folder cannot be used: ${describeError(thrown)}; change to an existing folder`;
    process.exitCode = printError(process, plainText(why));
  }
}

/** Error codes of an output without a reader: a closed pipe (`EPIPE`) and a closed terminal (`EIO`). */
const GONE: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);

/** Runs a command with escaped output. Never rejects: it prints what is thrown. */
export async function guarded(
  given: CliContext,
  act: (context: CliContext) => Promise<ExitCode>
): Promise<ExitCode> {
  const context = withTerminalOutput(given);
  return await act(context).catch((thrown: unknown) => printError(context, describeError(thrown)));
}
