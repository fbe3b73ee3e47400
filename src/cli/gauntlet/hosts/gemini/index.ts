/** Gemini CLI: an `AfterAgent` hook in `.gemini/settings.json`. */
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { stopEntry, turnStartEntry, userAndProject } from "@/cli/gauntlet/hosts/hookEntries";
import { jsonLine } from "@/cli/gauntlet/hosts/answers";
import type { AgentHost, InputFit } from "@/cli/gauntlet/hosts/types";
import type { JsonObject } from "@/common/json";

export const geminiHost: AgentHost = {
  name: "gemini",
  fit: fitOf,
  ownVariables: ["GEMINI_PROJECT_DIR"],
  projectVariable: "GEMINI_PROJECT_DIR",
  readInput: readCommonFields,
  joinsMessages: true,
  // It sends `stop_hook_active: false` again after a tool call within a turn.
  beginsTurnWhenInactive: false,
  showsAtTurnStart: true,
  limits: { reasonChars: 8_000 },
  answer: jsonLine,
  about: {
    holds: "until the gates pass",
    sees: "the message",
    cap: "none",
    trust: "that of the folder",
    tried: "with Gemini CLI 0.61.0",
  },
  install: {
    title: "Gemini CLI",
    program: "gemini",
    folder: ".gemini",
    files: (place) => userAndProject(place, `${place.home}/.gemini`, ".gemini", "settings.json"),
    stop: stopEntry("gemini", "AfterAgent", { field: "timeout", perSecond: 1_000, defaultS: 60 }),
    turnStart: turnStartEntry("BeforeAgent"),
  },
};

function fitOf(input: JsonObject): InputFit {
  const { hook_event_name: event } = input;
  if (event === "AfterAgent" || event === "BeforeAgent") return "certain";
  if ("prompt_response" in input) return "certain";
  return event === undefined && Object.keys(input).length === 0 ? "possible" : "foreign";
}
