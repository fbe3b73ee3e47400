/** The entry point of `mux-stop-hooks run` without options. */
import { runAsProcess } from "@/cli/runAsProcess";
import { run } from "@/cli/gauntlet/commands/run";
import { printError } from "@/cli/render/printError";
import { withTerminalOutput } from "@/cli/terminalOutput";
import { describeError } from "@/common/errors";

export async function runProcess(): Promise<void> {
  await runAsProcess(async (given) => {
    const context = withTerminalOutput(given);
    try {
      return await run({ cache: true }, context);
    } catch (thrown) {
      return printError(context, describeError(thrown));
    }
  }, printError);
}
