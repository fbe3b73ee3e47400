import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";

/** Prints an error with the next step, which the output escapes. Returns the exit code for it. */
export function printError({ stderr }: Pick<CliContext, "stderr">, message: string): ExitCode {
  stderr.write(`mux-stop-hooks: ${message}\n`);
  return EXIT.failure;
}
