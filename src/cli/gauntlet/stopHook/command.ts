/** Decides a stop that has no early answer, and answers the agent host (G22–G28). */
import type { CliContext } from "@/cli/context";
import type { ExitCode } from "@/cli/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { give, giveEarly } from "@/cli/gauntlet/stopHook/answer";
import type { OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { runLimitMs } from "@/cli/gauntlet/stopHook/runLimit";
import { stopTrust, type StopTrust } from "@/cli/gauntlet/trust/stopTrust";
import { CommandRuntime } from "@/node/runtime/local/CommandRuntime";
import { isCi } from "@/node/services/gauntlet/change/git/baseBranch";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";
import { decideStop } from "@/node/services/gauntlet/hook/decideStop";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { createResult } from "@/node/services/gauntlet/run/createResult";

export type DecideContext = Pick<CliContext, "stdout" | "stderr" | "env" | "home" | "onInterrupt">;

/** Runs the gates if a run is due. A signal ends the run, and then nothing is printed. */
export async function decide(stop: OpenStop, context: DecideContext): Promise<ExitCode> {
  const { host, input, options, cwd, projectHint } = stop;
  const { env, home } = context;
  return await interruptible(context, async (signal) => {
    const runtime = new CommandRuntime({ env });
    const { sessionId, turnId, stopId, lastMessage, backgroundTasks } = input;
    const trust = await trustOf(stop, runtime, context);
    if (trust.kind === "untrusted") {
      const result = createResult("stop_hook_disabled", {
        errorMessage: trust.why,
        caveat: trust.caveat,
      });
      return giveEarly(context, host, { result });
    }
    const { result, warnings, personMessage, verifies, repeats, ...decision } = await decideStop({
      runtime,
      cwd,
      stopHookActive: input.stopHookActive === true,
      verify: options.verify,
      beginsTurn: host.beginsTurnWhenInactive && input.stopHookActive === false,
      sessionId,
      turnId,
      isPlanning: input.isPlanning,
      stopId,
      lastMessage: (await host.lastMessage?.(runtime, input)) ?? lastMessage,
      backgroundTasks,
      isHeadless: isCi(env),
      startedAt: performance.timeOrigin,
      projectHint,
      env,
      home,
      now: () => new Date(),
      signal,
      limitMs: runLimitMs(options),
      ...trust,
    });
    const reason = isBlockingStatus(result.status)
      ? await stopReason(runtime, result, {
          maxChars: host.limits.reasonChars,
          canStopOnlyWhenDone: verifies,
        })
      : undefined;
    const answer = {
      // The answer of the last hook of a stop may replace the others.
      result: repeats === undefined ? result : createResult("failed"),
      warnings: [...warnings, ...result.warnings],
      reason: repeats ?? reason,
      personMessage,
    };
    if (signal.aborted) {
      // A host ends a hook at its time limit with this signal. Without an end of the claim, the user is notified (G40).
      if (signal.reason !== "SIGTERM") await decision.discarded?.();
      return 0;
    }
    const code = give(context, host, answer);
    await decision.answered?.(reason);
    return code;
  });
}

/** A stop that is not checked in any case needs no trust (G27). */
async function trustOf(
  { input, options, cwd, projectHint }: OpenStop,
  runtime: CommandRuntime,
  { env, home }: DecideContext
): Promise<StopTrust> {
  if (input.stopHookActive === true && !options.verify) return { kind: "open", notices: [] };
  const { sessionId } = input;
  return await stopTrust({
    runtime,
    env,
    home,
    cwd,
    projectHint,
    sessionId,
    now: () => new Date(),
  });
}
