/** `agent-gauntlet stop-hook` as a process of its own: the part that every stop loads. */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { give } from "@/cli/gauntlet/stopHook/answer";
import { descriptorOutput } from "@/cli/gauntlet/stopHook/descriptorOutput";
import { earlyStop, type OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { describeError } from "@/common/errors";
import { resultOf } from "@/node/services/gauntlet/run/resultOf";

export type Outputs = Pick<CliContext, "stdout" | "stderr">;

/** What is loaded only where it is needed: the one where no early answer suffices, the other where neither does. */
export interface Rest {
  /** Whether a few files gave the answer. */
  settle(stop: OpenStop, outputs: Outputs): Promise<boolean>;
}
export interface Whole {
  decideAtOnce(stop: OpenStop, outputs: Outputs): Promise<ExitCode>;
}
export interface Loaders {
  readonly rest: () => Rest;
  readonly whole: () => Whole;
}

/** Ends the process, also where its standard input stays open (G23). Whatever goes wrong, the agent may stop. */
export async function runProcess({ rest, whole }: Loaders): Promise<void> {
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
    if (!("cwd" in early)) give(outputs, early);
    else if (!(await rest().settle(early, outputs))) {
      process.exit(await whole().decideAtOnce(early, outputs));
    }
    process.exit(EXIT.ok);
  } catch (thrown) {
    fail(thrown);
  }
}
