import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { plainText } from "@/common/text";

/** What went wrong and what to do, and the exit code that goes with it. */
export function complain({ stderr }: Pick<CliContext, "stderr">, message: string): ExitCode {
  stderr.write(`agent-gauntlet: ${plainText(message)}\n`);
  return EXIT.failure;
}
