/**
 * Defines the agent host Qwen Code: how its input is recognized and answered, and that `init` installs the hooks `Stop`
 * and `UserPromptSubmit` in `settings.json` of the user's or the project's `.qwen`.
 */
import { hookEntries, stopFit, userAndProject, USUAL } from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

export const qwenHost: KnownHost = {
  ...USUAL,
  takesContext: true,
  name: "qwen",
  fit: stopFit({
    folder: ".qwen",
    own: ["context_usage", "context_limit", "crons"],
    foreign: "turn_id effort sessionId stop_reason prompt_response session_crons",
  }),
  // It also sets the variables of Claude Code and Gemini CLI.
  ownVariables: ["QWEN_PROJECT_DIR"],
  projectVariable: "QWEN_PROJECT_DIR",
  about: "until the gates pass | the message | 8 | none | with Qwen Code 0.24.4",
  install: {
    title: "Qwen Code",
    programs: ["qwen"],
    folders: [".qwen"],
    files: userAndProject(".qwen", "settings.json"),
    ...hookEntries("qwen", ["Stop", "UserPromptSubmit"], { defaultS: 60, millisecondsFrom: 1_000 }),
  },
};
