/**
 * Copilot CLI with a model provider of its own. Its license does not allow an automatic installation, so it runs only
 * if the user names it.
 *
 * Source: https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/use-byok-models, as of 2026-11.
 */
import { join } from "node:path";
import { chatFormat } from "@test/hosts/model/chatCompletions";
import type { HostDriver } from "@test/hosts/rig/hostDriver";

const FLAGS = ["--allow-all-tools", "--trust-folder"];

export const copilot: HostDriver = {
  name: "copilot",
  format: chatFormat,
  env: ({ modelUrl }) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "scripted",
  }),
  files: () => ({}),
  hooks: ({ home, project }, { stop, turnStart }, scope) => ({
    path: join(scope === "user" ? join(home, ".copilot") : join(project, ".github"), HOOK_FILE),
    content: {
      version: 1,
      hooks: {
        agentStop: [{ type: "command", bash: stop, timeoutSec: 300 }],
        userPromptSubmitted: [{ type: "command", bash: turnStart }],
      },
    },
  }),
  begin: (message) => [...FLAGS, "-p", message],
  resume: (message) => [...FLAGS, "--continue", "-p", message],
  edit: (path, before, after) => [
    { name: "edit", input: { path, old_str: before, new_str: after } },
  ],
  shows: "message",
  announces: [],
  killsHooks: true,
};

const HOOK_FILE = "hooks/agent-gauntlet.json";
