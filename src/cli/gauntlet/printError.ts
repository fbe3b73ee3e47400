import type { CliContext } from "@/cli/context";
import { EXIT, type GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { plainText } from "@/common/text";

/** What went wrong and what to do, and the exit code that goes with it. */
export function printError(
  { stderr }: Pick<CliContext, "stderr">,
  message: string
): GauntletExitCode {
  stderr.write(`agent-gauntlet: ${plainText(message)}\n`);
  return EXIT.failure;
}
