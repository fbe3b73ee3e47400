/** Codex: a `Stop` hook in `.codex/hooks.json`. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { prefixed } from "@/cli/gauntlet/agentHosts/jsonLine";
import { stopFit } from "@/cli/gauntlet/agentHosts/stopFit";
import type { AgentHost, HostAnswer, HostDecision } from "@/cli/gauntlet/agentHosts/types";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

export const codexHost: AgentHost = {
  name: "codex",
  fit: (input) =>
    stopFit(input, {
      folder: ".codex",
      ownFields: [["turn_id", "model"]],
      foreignFields: ["prompt_id", "timestamp", "sessionId", "stop_reason", "prompt_response"],
    }),
  // It sets none.
  ownVariables: [],
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  // It passes on about 2,500 tokens.
  limits: { reasonChars: 8_000 },
  answer,
};

/** Codex rejects an answer that has an unknown field or the decision `approve`, and the agent then stops. */
function answer({ result, reason, personMessage }: HostDecision): HostAnswer {
  const fields = isBlockingStatus(result.status)
    ? { decision: "block", reason }
    : personMessage !== undefined && { systemMessage: prefixed(personMessage) };
  return { stdout: `${JSON.stringify(fields || {})}\n`, stderr: "", exitCode: 0 };
}
