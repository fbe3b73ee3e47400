/** Qwen Code: a `Stop` hook in `.qwen/settings.json`. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { stopEntry, turnStartEntry, userAndProject } from "@/cli/gauntlet/agentHosts/hookEntries";
import { jsonLine } from "@/cli/gauntlet/agentHosts/jsonLine";
import { stopFit } from "@/cli/gauntlet/agentHosts/stopFit";
import type { AgentHost } from "@/cli/gauntlet/agentHosts/types";

export const qwenHost: AgentHost = {
  name: "qwen",
  fit: (input) =>
    stopFit(input, {
      folder: ".qwen",
      ownFields: [["context_usage"], ["context_limit"], ["crons"]],
      foreignFields: [
        "turn_id",
        "effort",
        "sessionId",
        "stop_reason",
        "prompt_response",
        "session_crons",
      ],
    }),
  // It also sets the variables of Claude Code and Gemini CLI.
  ownVariables: ["QWEN_PROJECT_DIR"],
  projectVariable: "QWEN_PROJECT_DIR",
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  showsAtTurnStart: true,
  limits: { reasonChars: 8_000 },
  answer: jsonLine,
  install: {
    title: "Qwen Code",
    program: "qwen",
    folder: ".qwen",
    files: (place) => userAndProject(place, `${place.home}/.qwen`, ".qwen", "settings.json"),
    stop: stopEntry("qwen", "Stop", {
      field: "timeout",
      perSecond: 1,
      defaultS: 60,
      millisecondsFrom: 1_000,
    }),
    turnStart: turnStartEntry("UserPromptSubmit"),
  },
};
