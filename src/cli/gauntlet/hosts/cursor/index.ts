/**
 * Defines the agent host Cursor: how its input is recognized and answered, and that `init` installs the hooks `stop`
 * and `beforeSubmitPrompt` in `hooks.json` of the user's or the project's `.cursor`. Not tried here, only written from
 * https://cursor.com/docs/hooks and https://cursor.com/docs/reference/third-party-hooks (2026-11-23).
 */
import { followup } from "@/cli/gauntlet/hosts/answers";
import { claudeHost } from "@/cli/gauntlet/hosts/claude/index";
import * as hosts from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost, StopInput } from "@/cli/gauntlet/hosts/types";
import type { JsonObject } from "@/common/json";

const OWN_FIELDS = ["cursor_version", "conversation_id", "generation_id", "workspace_roots"];

export const cursorHost: KnownHost = {
  ...hosts.USUAL,
  name: "cursor",
  fit: (input) => {
    if (OWN_FIELDS.some((name) => name in input)) return "certain";
    return Object.keys(input).length === 0 ? "possible" : "foreign";
  },
  // Cursor sets the variable of Claude Code as well.
  ownVariables: ["CURSOR_VERSION", "CURSOR_PROJECT_DIR"],
  projectVariable: "CURSOR_PROJECT_DIR",
  readInput,
  showsAtTurnStart: false,
  answer: followup,
  about:
    "until the gates pass | only the agent's answer | `loop_limit`, which `init` sets to none | that of the workspace | by documentation",
  install: {
    title: "Cursor",
    programs: ["cursor"],
    folders: [".cursor"],
    files: hosts.userAndProject(".cursor", "hooks.json"),
    format: { isGrouped: false, commandKey: "command", emptyFile: { version: 1 } },
    ...hosts.hookEntries(
      "cursor",
      ["stop", "beforeSubmitPrompt"],
      { defaultS: 60 },
      { loop_limit: null }
    ),
    // With "third-party" configurations on, Cursor also runs the hooks of Claude Code.
    mayRun: {
      host: claudeHost,
      setting: "Include third-party Plugins, Skills, and other configs",
    },
  },
};

/** Reads the conversation as the session. `generation_id` is not the ID of a turn: each follow-up gets a new one. */
function readInput(input: JsonObject): StopInput {
  const { conversation_id: conversation, workspace_roots: roots, loop_count: count } = input;
  const [root] = Array.isArray(roots) ? (roots as unknown[]) : [];
  return {
    ...hosts.readCommonFields({ session_id: conversation, cwd: root, ...input }),
    stopHookActive: typeof count === "number" ? count > 0 : undefined,
  };
}
