/** Qwen Code: a `Stop` hook in `.qwen/settings.json`. */
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { stopEntry, turnStartEntry, userAndProject } from "@/cli/gauntlet/hosts/hookEntries";
import { jsonLine } from "@/cli/gauntlet/hosts/answers";
import { stopFit } from "@/cli/gauntlet/hosts/stopFit";
import type { AgentHost } from "@/cli/gauntlet/hosts/types";

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
  about: {
    holds: "until the gates pass",
    sees: "the message",
    cap: "8",
    trust: "none",
    tried: "with Qwen Code 0.24.4",
  },
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
