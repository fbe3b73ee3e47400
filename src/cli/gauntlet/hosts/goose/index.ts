/**
 * Defines the agent host goose: how its input is recognized and answered, and that `init` installs a plugin with the
 * hooks `Stop` and `UserPromptSubmit` in the user's or the project's `.agents/plugins`. Not tried here, only written
 * from https://github.com/block/goose/blob/main/documentation/docs/guides/context-engineering/hooks.md (2026-11-23).
 */
import { printed } from "@/cli/gauntlet/hosts/answers";
import * as hosts from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

const PLUGIN = { name: "agent-gauntlet", version: "1.0.0", description: "Gates when goose stops" };

export const gooseHost: KnownHost = {
  ...hosts.USUAL,
  name: "goose",
  fit: ({ event, hook_event_name: other }) =>
    typeof event === "string" && other === undefined ? "certain" : "foreign",
  readInput: (input) =>
    hosts.readCommonFields({ prompt: input.message, cwd: input.working_dir, ...input }),
  // It does not send whether the agent continues because of a hook.
  beginsTurnWhenInactive: false,
  showsAtTurnStart: false,
  answer: ({ reason }) => printed({ decision: reason === undefined ? "allow" : "block", reason }),
  about:
    "until its cap | only the agent's answer | `GOOSE_STOP_HOOK_BLOCK_CAP` | none | by documentation",
  install: {
    title: "goose",
    programs: ["goose"],
    folders: [".agents"],
    files: hosts.userAndProject(".agents/plugins/agent-gauntlet/hooks", "hooks.json"),
    companion: { path: "../plugin.json", text: `${JSON.stringify(PLUGIN, undefined, 2)}\n` },
    ...hosts.hookEntries("goose", ["Stop", "UserPromptSubmit"], { defaultS: 30 }),
  },
};
