/** Claude Code. Its license does not allow an automatic installation, so it runs only if the user names it. */
import { join } from "node:path";
import { messagesFormat } from "@test/hosts/model/messages";
import { claudeHooks, type HostDriver } from "@test/hosts/rig/hostDriver";

const FLAGS = ["--permission-mode", "acceptEdits", "--allowedTools", "Read,Edit,Write"];

export const claude: HostDriver = {
  name: "claude",
  format: messagesFormat,
  env: ({ modelUrl }) => ({
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: modelUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  files: () => ({}),
  hooks: ({ home, project }, commands, scope) => ({
    path: scope === "user" ? join(home, ".claude/settings.json") : localSettings(project),
    content: {
      hooks: claudeHooks(commands),
    },
  }),
  begin: (message) => [...FLAGS, "--print", message],
  resume: (message) => [...FLAGS, "--continue", "--print", message],
  // It edits only files that it has read.
  edit: (path, before, after) => [
    { name: "Read", input: { file_path: path } },
    { name: "Edit", input: { file_path: path, old_string: before, new_string: after } },
  ],
  shows: "message",
  announces: [],
  killsHooks: true,
};

function localSettings(project: string): string {
  return join(project, ".claude/settings.local.json");
}
