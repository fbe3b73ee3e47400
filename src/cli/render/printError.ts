import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";

/** Prints one line with the error and the next step, and returns the exit code for it. */
export function printError({ stderr }: Pick<CliContext, "stderr">, message: string): ExitCode {
  stderr.write(`mux-hooks: ${message}\n`);
  return EXIT.failure;
}
