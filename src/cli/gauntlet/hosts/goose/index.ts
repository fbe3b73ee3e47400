/**
 * goose: a plugin with a `Stop` hook in the user's or the project's `.agents/plugins`. Not run here; by
 * https://github.com/block/goose/blob/main/documentation/docs/guides/context-engineering/hooks.md (2026-11-23).
 */
import { printed } from "@/cli/gauntlet/hosts/answers";
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { stopEntry, turnStartEntry } from "@/cli/gauntlet/hosts/hookEntries";
import type { AgentHost } from "@/cli/gauntlet/hosts/types";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

const FOLDER = ".agents/plugins/agent-gauntlet";

export const gooseHost: AgentHost = {
  name: "goose",
  fit: ({ event, hook_event_name: other }) =>
    typeof event === "string" && other === undefined ? "certain" : "foreign",
  ownVariables: [],
  readInput: (input) =>
    readCommonFields({ prompt: input.message, cwd: input.working_dir, ...input }),
  // It does not send whether the agent continues because of a hook.
  beginsTurnWhenInactive: false,
  showsAtTurnStart: false,
  limits: { reasonChars: 8_000 },
  answer: ({ result, reason }) =>
    printed(
      isBlockingStatus(result.status) ? { decision: "block", reason } : { decision: "allow" }
    ),
  about: {
    holds: "until its cap",
    sees: "only the agent's answer",
    cap: "`GOOSE_STOP_HOOK_BLOCK_CAP`",
    trust: "none",
    tried: "by documentation",
  },
  install: {
    title: "goose",
    program: "goose",
    folder: ".agents",
    files: ({ home, projectDir }) => [
      { path: `${home}/${FOLDER}/hooks/hooks.json`, isShared: false, targetOf: ["personal"] },
      { path: `${projectDir}/${FOLDER}/hooks/hooks.json`, isShared: true, targetOf: ["shared"] },
    ],
    companion: {
      path: "../plugin.json",
      text: `${JSON.stringify({ name: "agent-gauntlet", version: "1.0.0", description: "Gates when goose stops" }, undefined, 2)}\n`,
    },
    stop: stopEntry("goose", "Stop", { field: "timeout", perSecond: 1, defaultS: 30 }),
    turnStart: turnStartEntry("UserPromptSubmit"),
  },
};
