/** `agent-gauntlet stop-hook` as a process of its own: the part that every stop loads. */
import { recognizeHost } from "@/cli/gauntlet/agentHosts/index";
import type { GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { giveEarly, log, type HookAnswer, type Outputs } from "@/cli/gauntlet/stopHook/answer";
import { descriptorOutput } from "@/cli/gauntlet/stopHook/descriptorOutput";
import { earlyStop, type EarlyAnswer, type OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { parseStopOptions } from "@/cli/gauntlet/stopHook/options";
import { terminalOutput } from "@/cli/terminalOutput";
import { describeError } from "@/common/errors";
import { createResult } from "@/node/services/gauntlet/run/createResult";

/** The parts that are loaded only if needed: `Rest` without an early answer, `Whole` if `Rest` has none either. */
export interface Rest {
  /** Returns the answer if a few files give it. */
  settle(stop: OpenStop): Promise<HookAnswer | undefined>;
}
export interface Whole {
  decideAtOnce(stop: OpenStop, outputs: Outputs): Promise<GauntletExitCode>;
}
export interface Loaders {
  readonly rest: () => Rest;
  readonly whole: () => Whole;
}

/** Ends the process, even if its standard input stays open (G23). On any error, the agent may stop. */
export async function runProcess(loaders: Loaders): Promise<void> {
  const { env } = process;
  const outputs = {
    stdout: terminalOutput(descriptorOutput(1)),
    stderr: terminalOutput(descriptorOutput(2)),
  };
  const options = parseStopOptions(process.argv.slice(3));
  let host = options.host ?? recognizeHost({}, env);
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
    process.exit(await finish(early, loaders, outputs));
  } catch (thrown) {
    fail(thrown);
  }
}

async function finish(
  stop: EarlyAnswer | OpenStop,
  { rest, whole }: Loaders,
  outputs: Outputs
): Promise<GauntletExitCode> {
  if ("answer" in stop) return giveEarly(outputs, stop.host, stop.answer);
  const settled = await rest().settle(stop);
  if (settled !== undefined) return giveEarly(outputs, stop.host, settled);
  return await whole().decideAtOnce(stop, outputs);
}
