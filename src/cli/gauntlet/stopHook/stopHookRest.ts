/** `agent-gauntlet stop-hook` as a process of its own: what comes of a stop that had no early answer. */
import { homedir } from "node:os";
import { onInterrupt } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { give } from "@/cli/gauntlet/stopHook/answer";
import type { OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { settledStop } from "@/cli/gauntlet/stopHook/settledStop";
import type { Outputs } from "@/cli/gauntlet/stopHook/stopHookProcess";

export async function settle({ cwd, projectDir }: OpenStop, outputs: Outputs): Promise<ExitCode> {
  const { env } = process;
  const home = homedir();
  const settled = await settledStop(projectDir, { env, home, now: new Date() });
  if (settled !== undefined) {
    give(outputs, settled);
    return EXIT.ok;
  }
  const { decide } = await import("@/cli/gauntlet/stopHook/command");
  return await decide(cwd, { ...outputs, env, home, onInterrupt });
}
