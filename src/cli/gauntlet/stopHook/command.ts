/** `agent-gauntlet stop-hook`: whether an agent may stop, for a host that starts hooks as programs (G22–G28). */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { give } from "@/cli/gauntlet/stopHook/answer";
import { earlyStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { LocalRuntime } from "@/node/runtime/LocalRuntime";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";
import { decideStop } from "@/node/services/gauntlet/stopDecision";
import { stopReason } from "@/node/services/gauntlet/stopReason";

/** Under the 300 s that the hook is installed with. */
const LIMIT_MS = 290_000;

/** Reads the standard input of the process. */
export async function stopHook(context: CliContext): Promise<ExitCode> {
  const early = await earlyStop({ env: context.env, cwd: () => context.cwd });
  if ("cwd" in early) return await decide(early.cwd, context);
  give(context, early);
  return EXIT.ok;
}

export type DecideContext = Pick<CliContext, "stdout" | "stderr" | "env" | "home" | "onInterrupt">;

/** The whole way, runs of gates included. A signal ends it without a word. */
export async function decide(cwd: string, context: DecideContext): Promise<ExitCode> {
  const { env, home } = context;
  return await interruptible(context, async (signal) => {
    const runtime = new LocalRuntime({ env });
    const { result, warnings: earlier } = await decideStop({
      runtime,
      cwd,
      stopHookActive: false,
      askedToContinue: false,
      env,
      home,
      now: () => new Date(),
      signal,
      limitMs: LIMIT_MS,
    });
    const warnings = [...earlier, ...result.warnings];
    const blocks = isBlockingStatus(result.status);
    const reason = blocks ? { reason: await stopReason(runtime, result) } : {};
    if (!signal.aborted) give(context, { result, warnings, ...reason });
    return EXIT.ok;
  });
}
