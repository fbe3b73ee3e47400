import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";

/** One line about what went wrong and what to do, and the exit code that goes with it. */
export function printError({ stderr }: Pick<CliContext, "stderr">, message: string): ExitCode {
  stderr.write(`mux-hooks: ${message}\n`);
  return EXIT.failure;
}
