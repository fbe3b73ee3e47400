/** Copilot CLI: an `agentStop` hook in `.github/hooks`, or a `Stop` hook of Claude Code, which it runs as well. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { jsonLine, prefixed } from "@/cli/gauntlet/agentHosts/jsonLine";
import { stopFit } from "@/cli/gauntlet/agentHosts/stopFit";
import type { AgentHost, HostAnswer, HostDecision } from "@/cli/gauntlet/agentHosts/types";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

export const copilotHost: AgentHost = {
  name: "copilot",
  fit: (input) =>
    stopFit(input, {
      folder: ".copilot",
      // The second is sent to a hook of Claude Code.
      ownFields: [["stopReason"], ["stop_reason"], ["transcriptPath"]],
      foreignFields: ["turn_id", "prompt_id", "effort", "prompt_response", "context_usage"],
    }),
  ownVariables: ["COPILOT_CLI"],
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  limits: { reasonChars: 8_000 },
  answer,
};

/** Copilot shows the user only standard error with exit code 2, which does not send the agent back. */
function answer(decision: HostDecision): HostAnswer {
  const { result, personMessage } = decision;
  if (isBlockingStatus(result.status) || personMessage === undefined) return jsonLine(decision);
  return { stdout: "", stderr: `${prefixed(personMessage)}\n`, exitCode: 2 };
}
