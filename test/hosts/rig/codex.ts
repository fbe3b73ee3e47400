/** Codex with a provider of its own. Its hooks run only if the user has trusted each of them. */
import { join } from "node:path";
import { responsesFormat } from "@test/hosts/model/responses";
import { trustHooks } from "@test/hosts/rig/codexTrust";
import { claudeHooks, type HostDriver } from "@test/hosts/rig/hostDriver";

const FLAGS = ["exec", "--dangerously-bypass-approvals-and-sandbox", "--color", "never"];

export const codex: HostDriver = {
  name: "codex",
  format: responsesFormat,
  env: () => ({ SCRIPTED_KEY: "none" }),
  files: ({ home, project, modelUrl }) => ({
    [join(home, ".codex/config.toml")]: `
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
apps = false
[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."${project}"]
trust_level = "trusted"
`,
  }),
  hooks: ({ home, project }, commands, scope) => ({
    path: join(scope === "user" ? home : project, ".codex/hooks.json"),
    content: {
      hooks: claudeHooks(commands),
    },
  }),
  trust: trustHooks,
  begin: (message) => [...FLAGS, message],
  resume: (message) => [...FLAGS, "resume", "--last", message],
  // It finds a call of its tool for files in a command as well.
  edit: (path, before, after) => [
    { name: "exec_command", input: { cmd: patchCommand(path, before, after) } },
  ],
  shows: "nothing",
  announces: [],
  killsHooks: true,
};

function patchCommand(path: string, before: string, after: string): string {
  return `apply_patch <<'EOF'
*** Begin Patch
*** Update File: ${path}
@@
-${before}
+${after}
*** End Patch
EOF`;
}
