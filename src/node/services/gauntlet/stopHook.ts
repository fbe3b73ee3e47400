/** The gauntlet as the in-process Stop hook (G27). */
import { homedir } from "node:os";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";
import { decideStop } from "@/node/services/gauntlet/stopDecision";
import { stopReason } from "@/node/services/gauntlet/stopReason";
import type { BuiltinHook, BuiltinHookContext } from "@/node/services/hooks/builtinHooks";
import type { HookOutput } from "@/node/services/hooks/hookOutputSchema";

export interface GauntletHookOptions {
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  readonly home?: string;
  readonly now?: () => Date;
}

/** The run ends this long before the hook does, so that it can still say what it found. */
const SPARE_MS = 10_000;

/** What is not worth a word to the user. */
const SILENT: ReadonlySet<GauntletStatus> = new Set([
  "no_config",
  "no_changes",
  "no_applicable_gates",
  "stop_hook_active",
  "stop_hook_disabled",
  "interval_not_elapsed",
]);

/** To be registered under the name `gauntlet`. */
export function gauntletHook(options: GauntletHookOptions = {}): BuiltinHook {
  return async (context) => {
    const { runtime, input, askedToContinue, signal, timeoutMs } = context;
    const { result } = await decideStop({
      runtime,
      cwd: input.cwd,
      stopHookActive: input.stop_hook_active,
      askedToContinue,
      env: options.env ?? process.env,
      home: options.home ?? homedir(),
      now: options.now ?? (() => new Date()),
      signal,
      limitMs: Math.max(timeoutMs - SPARE_MS, timeoutMs / 2),
    });
    return await toOutput(context, result);
  };
}

/** The agent hears of a failure alone; its person of whatever was not simply in order. */
async function toOutput(
  { runtime }: BuiltinHookContext,
  result: RunResult
): Promise<HookOutput | undefined> {
  const { status, message } = result;
  if (SILENT.has(status)) return undefined;
  const systemMessage = `Gauntlet: ${message}`;
  if (!isBlockingStatus(status)) return { systemMessage };
  return { decision: "block", reason: await stopReason(runtime, result), systemMessage };
}
