/**
 * Defines the agent host Claude Code: how its input is recognized and answered, and that `init` installs the hooks
 * `Stop` and `UserPromptSubmit` in its settings files.
 */
import { hookEntries, stopFit, userFolder, USUAL } from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

/** Fields that other hosts send as well. Any other field rules Claude Code out, unless it is recognized for certain. */
const SHARED_FIELDS =
  "session_id transcript_path cwd prompt_id permission_mode hook_event_name stop_hook_active last_assistant_message background_tasks prompt";

const usualFit = stopFit({
  folder: ".claude/projects",
  own: ["effort", "session_crons"],
  // Hosts that imitate Claude Code add these to its input.
  foreign: "turn_id timestamp prompt_response context_usage sessionId stop_reason",
});

export const claudeHost: KnownHost = {
  ...USUAL,
  takesContext: true,
  name: "claude",
  fit: (input) => {
    const fit = usualFit(input);
    const isShared = Object.keys(input).every((name) => SHARED_FIELDS.split(" ").includes(name));
    return fit === "possible" && !isShared ? "foreign" : fit;
  },
  ownVariables: ["CLAUDECODE", "CLAUDE_PROJECT_DIR"],
  projectVariable: "CLAUDE_PROJECT_DIR",
  // Claude Code passes a reason to the agent twice.
  limits: { reasonChars: 4_000 },
  about:
    "until the gates pass | the message, not with `claude -p` in text or JSON | 8 | that of the folder, none with `claude -p` | with Claude Code 2.1.330, by hand",
  install: {
    title: "Claude Code",
    programs: ["claude"],
    folders: [".claude"],
    files: (place) => {
      const user = `${userFolder(place, ".claude", "CLAUDE_CONFIG_DIR")}/settings.json`;
      const project = `${place.projectDir}/.claude/settings`;
      return [
        { path: user, isShared: false, targetOf: [] },
        { path: `${project}.json`, isShared: true, targetOf: ["shared"] },
        { path: `${project}.local.json`, isShared: false, targetOf: ["personal"] },
      ];
    },
    showsStatus: true,
    examine: async (hooks, _place, layers) => {
      const { examinePlugin } = await import("@/cli/gauntlet/hosts/claude/examinePlugin");
      return examinePlugin(hooks, layers);
    },
    ...hookEntries("claude", ["Stop", "UserPromptSubmit"], { defaultS: 600 }, {}, ["stop-hook"]),
  },
};
