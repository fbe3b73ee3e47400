/** Runs that nobody gives an option: `agent-gauntlet run`, and the stop that has to be decided over. */
import { homedir } from "node:os";
import { asProcess } from "@/cli/asProcess";
import { onInterrupt } from "@/cli/context";
import { run } from "@/cli/gauntlet/commands/run";
import { complain } from "@/cli/gauntlet/complain";
import type { ExitCode } from "@/cli/gauntlet/exitCodes";
import type { Outputs } from "@/cli/gauntlet/stopHook/answer";
import { decide } from "@/cli/gauntlet/stopHook/command";
import type { OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { withTerminalOutput } from "@/cli/terminalOutput";
import { describeError } from "@/common/errors";

export async function runProcess(): Promise<void> {
  await asProcess(async (context) => {
    try {
      return await run({ cache: true }, withTerminalOutput(context));
    } catch (thrown) {
      return complain(context, describeError(thrown));
    }
  }, complain);
}

export async function decideAtOnce(stop: OpenStop, outputs: Outputs): Promise<ExitCode> {
  const { env } = process;
  return await decide(stop, { ...outputs, env, home: homedir(), onInterrupt });
}
