/** Gemini CLI: an `AfterAgent` hook in `.gemini/settings.json`. */
import { hookEntries, userAndProject, USUAL } from "@/cli/gauntlet/hosts/define";
import type { InputFit, KnownHost } from "@/cli/gauntlet/hosts/types";
import type { JsonObject } from "@/common/json";

export const geminiHost: KnownHost = {
  ...USUAL,
  name: "gemini",
  fit: fitOf,
  ownVariables: ["GEMINI_PROJECT_DIR"],
  projectVariable: "GEMINI_PROJECT_DIR",
  joinsMessages: true,
  // It sends `stop_hook_active: false` again after a tool call within a turn.
  beginsTurnWhenInactive: false,
  about: {
    holds: "until the gates pass",
    sees: "the message",
    cap: "none",
    trust: "that of the folder",
    tried: "with Gemini CLI 0.61.0",
  },
  install: {
    title: "Gemini CLI",
    programs: ["gemini"],
    folders: [".gemini"],
    files: userAndProject(".gemini", "settings.json"),
    ...hookEntries("gemini", ["AfterAgent", "BeforeAgent"], { perSecond: 1_000, defaultS: 60 }),
  },
};

function fitOf(input: JsonObject): InputFit {
  const { hook_event_name: event } = input;
  if (event === "AfterAgent" || event === "BeforeAgent") return "certain";
  if ("prompt_response" in input) return "certain";
  return event === undefined && Object.keys(input).length === 0 ? "possible" : "foreign";
}
