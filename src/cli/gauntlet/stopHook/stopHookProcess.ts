/** `agent-gauntlet stop-hook` as a process of its own: the part that every stop loads. */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { give } from "@/cli/gauntlet/stopHook/answer";
import { descriptorOutput } from "@/cli/gauntlet/stopHook/descriptorOutput";
import { earlyStop, type OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { describeError } from "@/common/errors";
import { resultOf } from "@/node/services/gauntlet/run/resultOf";

export type Outputs = Pick<CliContext, "stdout" | "stderr">;

/** What is loaded only where an early answer does not suffice. */
export interface Rest {
  settle(stop: OpenStop, outputs: Outputs): Promise<ExitCode>;
}

/** Ends the process, also where its standard input stays open (G23). Whatever goes wrong, the agent may stop. */
export async function runProcess(loadRest: () => Rest): Promise<void> {
  const outputs = { stdout: descriptorOutput(1), stderr: descriptorOutput(2) };
  const fail = (thrown: unknown): void => {
    give(outputs, { result: resultOf("error", { errorMessage: describeError(thrown) }) });
    process.exit(EXIT.ok);
  };
  process.on("uncaughtException", fail);
  // Standard error is ours alone.
  process.noDeprecation = true;
  try {
    const early = await earlyStop({ env: process.env, cwd: () => process.cwd() });
    if ("cwd" in early) process.exit(await loadRest().settle(early, outputs));
    give(outputs, early);
    process.exit(EXIT.ok);
  } catch (thrown) {
    fail(thrown);
  }
}
