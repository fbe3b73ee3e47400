/** Copilot CLI: an `agentStop` hook in `.github/hooks`, or a `Stop` hook of Claude Code, which it runs as well. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { jsonLine, prefixed } from "@/cli/gauntlet/agentHosts/jsonLine";
import { isInFolder } from "@/cli/gauntlet/agentHosts/transcript";
import type {
  AgentHost,
  HostAnswer,
  HostDecision,
  InputFit,
} from "@/cli/gauntlet/agentHosts/types";
import type { JsonObject } from "@/common/json";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

/** The second is sent to a hook of Claude Code. */
const OWN_FIELDS = ["stopReason", "stop_reason", "transcriptPath"];
/** Fields of other hosts, which Copilot CLI does not send. */
const FOREIGN_FIELDS = ["turn_id", "prompt_id", "effort", "prompt_response", "context_usage"];

export const copilotHost: AgentHost = {
  name: "copilot",
  fit: fitOf,
  ownVariables: ["COPILOT_CLI"],
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  limits: { reasonChars: 8_000 },
  answer,
};

function fitOf(input: JsonObject): InputFit {
  const { hook_event_name: event = "Stop" } = input;
  if (event !== "Stop" || FOREIGN_FIELDS.some((name) => name in input)) return "foreign";
  const isOwn = isInFolder(input, ".copilot") || OWN_FIELDS.some((name) => name in input);
  return isOwn ? "certain" : "possible";
}

/** Copilot shows the user only standard error with exit code 2, which does not send the agent back. */
function answer(decision: HostDecision): HostAnswer {
  const { result, personMessage } = decision;
  if (isBlockingStatus(result.status) || personMessage === undefined) return jsonLine(decision);
  return { stdout: "", stderr: `${prefixed(personMessage)}\n`, exitCode: 2 };
}
