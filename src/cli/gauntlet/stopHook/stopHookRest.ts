/** `agent-gauntlet stop-hook` as a process of its own: what comes of a stop that had no early answer. */
import { homedir } from "node:os";
import { give } from "@/cli/gauntlet/stopHook/answer";
import type { OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { settledStop } from "@/cli/gauntlet/stopHook/settledStop";
import type { Outputs } from "@/cli/gauntlet/stopHook/stopHookProcess";

export async function settle({ projectDir }: OpenStop, outputs: Outputs): Promise<boolean> {
  const { env } = process;
  const settled = await settledStop(projectDir, { env, home: homedir(), now: new Date() });
  if (settled === undefined) return false;
  give(outputs, settled);
  return true;
}
