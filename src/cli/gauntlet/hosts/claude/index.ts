/** Claude Code: a `Stop` hook in its settings files. */
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { stopEntry, turnStartEntry } from "@/cli/gauntlet/hosts/hookEntries";
import { jsonLine } from "@/cli/gauntlet/hosts/answers";
import { EVENTS } from "@/cli/gauntlet/hosts/stopFit";
import type { AgentHost, HostPlace, InputFit } from "@/cli/gauntlet/hosts/types";
import type { JsonObject } from "@/common/json";

/**
 * Fields that other hosts send as well. Unless the transcript's folder or a field of `OWN_FIELDS` identifies Claude
 * Code, any other field rules it out.
 */
const SHARED_FIELDS = new Set([
  "session_id",
  "transcript_path",
  "cwd",
  "prompt_id",
  "permission_mode",
  "hook_event_name",
  "stop_hook_active",
  "last_assistant_message",
  "background_tasks",
  "prompt",
]);
const OWN_FIELDS = new Set(["effort", "session_crons"]);
/** Fields that hosts which imitate Claude Code add to its input. */
const FOREIGN_FIELDS = [
  "turn_id",
  "timestamp",
  "prompt_response",
  "context_usage",
  "sessionId",
  "stop_reason",
];

export const claudeHost: AgentHost = {
  name: "claude",
  fit: fitOf,
  ownVariables: ["CLAUDECODE", "CLAUDE_PROJECT_DIR"],
  projectVariable: "CLAUDE_PROJECT_DIR",
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  showsAtTurnStart: true,
  // The agent gets a reason twice.
  limits: { reasonChars: 4_000 },
  answer: jsonLine,
  about: {
    holds: "until the gates pass",
    sees: "the message, not with `claude -p` in text or JSON",
    cap: "8",
    trust: "that of the folder, none with `claude -p`",
    tried: "with Claude Code 2.1.330, by hand",
  },
  install: {
    title: "Claude Code",
    program: "claude",
    folder: ".claude",
    files: (place) => [
      { path: `${claudeHome(place)}/settings.json`, isShared: false, targetOf: [] },
      { path: `${place.projectDir}/.claude/settings.json`, isShared: true, targetOf: ["shared"] },
      {
        path: `${place.projectDir}/.claude/settings.local.json`,
        isShared: false,
        targetOf: ["personal"],
      },
    ],
    stop: {
      ...stopEntry("claude", "Stop", { field: "timeout", perSecond: 1, defaultS: 600 }),
      earlierArgs: ["stop-hook"],
    },
    turnStart: turnStartEntry("UserPromptSubmit"),
  },
};

/** Returns the folder of the user's settings. */
function claudeHome({ home, env }: HostPlace): string {
  return env.CLAUDE_CONFIG_DIR?.startsWith("/") === true
    ? env.CLAUDE_CONFIG_DIR
    : `${home}/.claude`;
}

function fitOf(input: JsonObject): InputFit {
  const { hook_event_name: event = "Stop", transcript_path: transcript } = input;
  if (!EVENTS.includes(event) || FOREIGN_FIELDS.some((name) => name in input)) return "foreign";
  const fields = Object.keys(input);
  const isInOwnFolder = typeof transcript === "string" && transcript.includes("/.claude/projects/");
  if (isInOwnFolder || fields.some((name) => OWN_FIELDS.has(name))) return "certain";
  return fields.every((name) => SHARED_FIELDS.has(name)) ? "possible" : "foreign";
}
