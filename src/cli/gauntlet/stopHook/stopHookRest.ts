/** `agent-gauntlet stop-hook` as a process of its own: the answers that a few files give. */
import { homedir } from "node:os";
import type { HookAnswer } from "@/cli/gauntlet/stopHook/answer";
import type { OpenStop } from "@/cli/gauntlet/stopHook/earlyStop";
import { settledStop } from "@/cli/gauntlet/stopHook/settledStop";

export async function settle({ projectDir }: OpenStop): Promise<HookAnswer | undefined> {
  if (projectDir === undefined) return undefined;
  return await settledStop(projectDir, { env: process.env, home: homedir(), now: new Date() });
}
