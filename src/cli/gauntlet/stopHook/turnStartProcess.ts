/** `agent-gauntlet turn-start` as a process of its own (G27a). It loads few modules, prints nothing and never fails. */
import { resolve } from "node:path";
import { projectHint, recognizeHost } from "@/cli/gauntlet/agentHosts/index";
import { readStdin } from "@/cli/gauntlet/stopHook/readStdin";
import type { JsonObject } from "@/common/json";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import { FIRST_LINE } from "@/node/services/gauntlet/messages/reason";
import { recordTurnStart } from "@/node/services/gauntlet/turn/turnStart";

export async function runProcess(): Promise<void> {
  const end = (): void => process.exit(0);
  process.on("uncaughtException", end);
  try {
    if (!process.env[RECURSION_MARKER]) await record();
  } finally {
    // Standard input may stay open.
    end();
  }
}

/** Records the start of a user's turn. Not called in a reviewer of a run, whose turns are not the user's. */
async function record(): Promise<void> {
  const { env } = process;
  const fields = (await readStdin()) ?? {};
  if (isContinuation(fields)) return;
  const host = recognizeHost(fields, env);
  const { cwd, sessionId, turnId } = host.readInput(fields);
  const isAbsolute = cwd?.startsWith("/") === true;
  await recordTurnStart({
    runtime: new LocalFiles(),
    cwd: resolve(isAbsolute ? "/" : process.cwd(), cwd ?? ""),
    env,
    sessionId,
    turnId,
    projectHint: projectHint(host, env),
    now: () => new Date(),
  });
}

/**
 * Returns whether the message is the reason of a blocked stop. Gemini CLI, Qwen Code and Copilot CLI call the hook for it
 * as well. As a new turn it would reset the retries, and the agent would never stop.
 */
function isContinuation({ prompt }: JsonObject): boolean {
  return typeof prompt === "string" && prompt.split("\n").includes(FIRST_LINE);
}
