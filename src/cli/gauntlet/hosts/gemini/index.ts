/**
 * Defines the agent host Gemini CLI: how its input is recognized and answered, and that `init` installs the hooks
 * `AfterAgent` and `BeforeAgent` in `settings.json` of the user's or the project's `.gemini`.
 */
import { hookEntries, userAndProject, USUAL } from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

export const geminiHost: KnownHost = {
  ...USUAL,
  takesContext: true,
  name: "gemini",
  fit: (input) => {
    const { hook_event_name: event } = input;
    const isOwn = event === "AfterAgent" || event === "BeforeAgent" || "prompt_response" in input;
    if (isOwn) return "certain";
    return Object.keys(input).length === 0 ? "possible" : "foreign";
  },
  ownVariables: ["GEMINI_PROJECT_DIR"],
  projectVariable: "GEMINI_PROJECT_DIR",
  joinsMessages: true,
  // It sends `stop_hook_active: false` again after a tool call within a turn.
  beginsTurnWhenInactive: false,
  about: "until the gates pass | the message | none | that of the folder | with Gemini CLI 0.61.0",
  install: {
    title: "Gemini CLI",
    programs: ["gemini"],
    folders: [".gemini"],
    files: userAndProject(".gemini", "settings.json"),
    ...hookEntries("gemini", ["AfterAgent", "BeforeAgent"], { perSecond: 1_000, defaultS: 60 }),
  },
};
