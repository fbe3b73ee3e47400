/** `agent-gauntlet stop-hook` as a process of its own: the part that every stop loads. */
import type { ExitCode } from "@/cli/context";
import { giveEarly, log, type Outputs } from "@/cli/gauntlet/stopHook/answer";
import { descriptorOutput } from "@/cli/gauntlet/stopHook/readStdin";
import { callingHost, earlyStop, type OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { parseStopOptions } from "@/cli/gauntlet/stopHook/options";
import { terminalOutput } from "@/cli/terminalOutput";
import { describeError } from "@/common/errors";
import { createResult } from "@/node/services/gauntlet/run/createResult";

/** The part that is loaded only for a stop without an early answer. */
interface FullDecision {
  decideAtOnce(stop: OpenStop, outputs: Outputs): Promise<ExitCode>;
}

/** Ends the process, even if its standard input stays open (G23). On any error, the agent may stop. */
export async function runProcess(load: () => FullDecision): Promise<void> {
  const { env } = process;
  const outputs = {
    stdout: terminalOutput(descriptorOutput(1)),
    stderr: terminalOutput(descriptorOutput(2)),
  };
  const options = parseStopOptions(process.argv.slice(3));
  let host = callingHost({}, env, options);
  const fail = (thrown: unknown): void => {
    const result = createResult("error", { errorMessage: describeError(thrown) });
    process.exit(giveEarly(outputs, host, { result }));
  };
  process.on("uncaughtException", fail);
  // Keeps Node's deprecation warnings off standard error.
  process.noDeprecation = true;
  try {
    log(outputs.stderr, options.warnings);
    const early = await earlyStop({ options, env, cwd: () => process.cwd() });
    host = early.host;
    if ("answer" in early) process.exit(giveEarly(outputs, host, early.answer));
    process.exit(await load().decideAtOnce(early, outputs));
  } catch (thrown) {
    fail(thrown);
  }
}
