import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { plainText } from "@/common/text";

/** Prints an error with the next step. Returns the exit code for it. */
export function printError({ stderr }: Pick<CliContext, "stderr">, message: string): ExitCode {
  stderr.write(`mux-stop-hooks: ${plainText(message)}\n`);
  return EXIT.failure;
}
