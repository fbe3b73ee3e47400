/** Runs a command as this process: its streams and its exit code. */
import type { PrintError } from "@/cli/commandLine";
import { processContext, type CliContext } from "@/cli/context";
import { EXIT } from "@/cli/exitCodes";
import { findOwnCommand } from "@/cli/ownCommands";
import { setOwnCommand } from "@/common/ownCommand";
import { describeError, errorCode } from "@/common/errors";
import { plainText } from "@/common/text";

/** Runs `act` and sets the exit code of the process. Never rejects. */
export async function runAsProcess(
  act: (context: CliContext) => Promise<number>,
  printError: PrintError
): Promise<void> {
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
    process.exitCode = printError(
      process,
      plainText(
        `the current folder cannot be used: ${describeError(thrown)}; change to an existing folder`
      )
    );
  }
}

/** Error codes of a closed reader (`EPIPE`) and of a closed terminal (`EIO`). */
const GONE: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);
