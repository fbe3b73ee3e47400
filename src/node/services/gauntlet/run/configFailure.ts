/** The failed gate of a configuration that was valid before and is broken now (G20a, G24). */
import { posix } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { CONFIG_BROKEN } from "@/node/services/gauntlet/messages/run";
import { checkLogName } from "@/node/services/gauntlet/state/runFiles";

const NAME = "config";

/** Returns the failed gate and writes the problems to its log. The other gates run with the earlier configuration. */
export async function configGate(
  files: Files,
  { problem, logDir, run }: { problem: string; logDir: string; run: number }
): Promise<GateResult> {
  const logPath = posix.join(logDir, checkLogName({ logName: NAME }, run));
  const written = await files.writeFile(logPath, `${problem}\n`);
  return {
    ...configFailure(CONFIG_BROKEN),
    ...(written.isOk() ? { logPath } : {}),
  };
}

export function configFailure(message: string): GateResult {
  return {
    jobId: NAME,
    kind: "check",
    gate: NAME,
    entryPoint: ".",
    outcome: "failed",
    durationMs: 0,
    message,
  };
}
