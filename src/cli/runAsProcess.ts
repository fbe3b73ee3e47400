/** A command as a process of its own: its streams and its exit code. */
import type { PrintError } from "@/cli/commandLine";
import { processContext, type CliContext } from "@/cli/context";
import { EXIT } from "@/cli/exitCodes";
import { describeError, errorCode } from "@/common/errors";

/** Never rejects. */
export async function runAsProcess(
  act: (context: CliContext) => Promise<number>,
  printError: PrintError
): Promise<void> {
  // A command ends properly whatever becomes of its output. That is nobody's fault where whoever read has read enough.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: Error) => {
      if (GONE.has(errorCode(error))) return;
      process.on("exit", (code) => {
        if (code === EXIT.ok) process.exitCode = EXIT.failure;
      });
      if (stream === process.stdout) printError(process, `its output is lost: ${error.message}`);
    });
  }
  try {
    process.exitCode = await act(processContext());
  } catch (thrown) {
    // The only thing that fails before there is a context.
    process.exitCode = printError(
      process,
      `the current folder cannot be used: ${describeError(thrown)}`
    );
  }
}

/** The reader, or the terminal. */
const GONE: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);
