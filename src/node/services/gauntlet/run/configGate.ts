/** A configuration that was valid when the turn began and is broken now: a failed gate of its own (G20a). */
import { posix } from "node:path";
import type { Files } from "@/node/runtime/Runtime";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { checkLogName } from "@/node/services/gauntlet/state/runFiles";

const NAME = "config";

/** Its log says what is wrong. The other gates run by the configuration as it was. */
export async function configGate(
  files: Files,
  { problem, logDir, run }: { problem: string; logDir: string; run: number }
): Promise<GateResult> {
  const logPath = posix.join(logDir, checkLogName({ logName: NAME }, run));
  const written = await files.writeFile(logPath, `${problem}\n`);
  return {
    jobId: NAME,
    kind: "check",
    gate: NAME,
    entryPoint: ".",
    outcome: "failed",
    durationMs: 0,
    message: "the gauntlet's configuration is broken since this turn began: mend it",
    ...(written.isOk() ? { logPath } : {}),
  };
}
