/** Entry points without options: `mux-stop-hooks run`, and a stop that has no early answer. */
import { homedir } from "node:os";
import { runAsProcess } from "@/cli/runAsProcess";
import { onInterrupt } from "@/cli/context";
import { run } from "@/cli/gauntlet/commands/run";
import { printError } from "@/cli/render/printError";
import type { ExitCode } from "@/cli/exitCodes";
import type { Outputs } from "@/cli/gauntlet/stopHook/answer";
import type { OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { findOwnCommand } from "@/cli/ownCommands";
import { withTerminalOutput } from "@/cli/terminalOutput";
import { setOwnCommand } from "@/common/ownCommand";
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

export async function decideAtOnce(stop: OpenStop, outputs: Outputs): Promise<ExitCode> {
  const { env } = process;
  const [, program = ""] = process.argv;
  const { decide } = await import("@/cli/gauntlet/stopHook/command");
  setOwnCommand(() => findOwnCommand({ env, cwd: process.cwd(), program }));
  return await decide(stop, { ...outputs, env, home: homedir(), onInterrupt });
}
