import type { CliContext } from "@/cli/context";
import { EXIT, type GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { plainText } from "@/common/text";

/** Prints an error with the next step. Returns the exit code for it. */
export function printError(
  { stderr }: Pick<CliContext, "stderr">,
  message: string
): GauntletExitCode {
  stderr.write(`agent-gauntlet: ${plainText(message)}\n`);
  return EXIT.failure;
}
