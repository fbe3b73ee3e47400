/** Qwen Code: a `Stop` hook in `.qwen/settings.json`. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { jsonLine } from "@/cli/gauntlet/agentHosts/jsonLine";
import { stopFit } from "@/cli/gauntlet/agentHosts/stopFit";
import type { AgentHost } from "@/cli/gauntlet/agentHosts/types";

export const qwenHost: AgentHost = {
  name: "qwen",
  fit: (input) =>
    stopFit(input, {
      folder: ".qwen",
      ownFields: [["context_usage"], ["context_limit"], ["crons"]],
      foreignFields: ["turn_id", "effort", "sessionId", "stop_reason", "prompt_response"],
    }),
  // It also sets the variables of Claude Code and Gemini CLI.
  ownVariables: ["QWEN_PROJECT_DIR"],
  projectVariable: "QWEN_PROJECT_DIR",
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  limits: { reasonChars: 8_000 },
  answer: jsonLine,
};
