/** Qwen Code: a `Stop` hook in `.qwen/settings.json`. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { jsonLine } from "@/cli/gauntlet/agentHosts/jsonLine";
import { isInFolder } from "@/cli/gauntlet/agentHosts/transcript";
import type { AgentHost, InputFit } from "@/cli/gauntlet/agentHosts/types";
import type { JsonObject } from "@/common/json";

const OWN_FIELDS = ["context_usage", "context_limit", "crons"];
/** Fields of other hosts, which Qwen Code does not send. */
const FOREIGN_FIELDS = ["turn_id", "effort", "sessionId", "stop_reason", "prompt_response"];

export const qwenHost: AgentHost = {
  name: "qwen",
  fit: fitOf,
  // It also sets the variables of Claude Code and Gemini CLI.
  ownVariables: ["QWEN_PROJECT_DIR"],
  projectVariable: "QWEN_PROJECT_DIR",
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  limits: { reasonChars: 8_000 },
  answer: jsonLine,
};

function fitOf(input: JsonObject): InputFit {
  const { hook_event_name: event = "Stop" } = input;
  if (event !== "Stop" || FOREIGN_FIELDS.some((name) => name in input)) return "foreign";
  const isOwn = isInFolder(input, ".qwen") || OWN_FIELDS.some((name) => name in input);
  return isOwn ? "certain" : "possible";
}
