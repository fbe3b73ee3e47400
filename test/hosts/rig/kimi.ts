/** Kimi Code with the scripted model as an OpenAI of its own. It sends one stop of a turn, so it has tests of its own. */
import { join } from "node:path";
import { chatFormat } from "@test/hosts/model/chatCompletions";
import type { HostDriver } from "@test/hosts/rig/hostDriver";

export const kimi: HostDriver = {
  name: "kimi",
  format: chatFormat,
  env: ({ modelUrl }) => ({
    KIMI_MODEL_NAME: "scripted",
    KIMI_MODEL_API_KEY: "none",
    KIMI_MODEL_PROVIDER_TYPE: "openai",
    KIMI_MODEL_BASE_URL: `${modelUrl}/v1`,
    KIMI_DISABLE_TELEMETRY: "1",
    KIMI_CODE_NO_AUTO_UPDATE: "1",
  }),
  files: () => ({}),
  hooks: ({ home }, { stop, turnStart }) => ({
    path: join(home, ".kimi-code/config.toml"),
    content: [
      tableOf({ event: "Stop", command: stop, timeout: 300 }),
      tableOf({ event: "UserPromptSubmit", command: turnStart }),
    ].join("\n"),
  }),
  begin: (message) => ["--prompt", message],
  resume: (message) => ["--continue", "--prompt", message],
  edit: (path, before, after) => [
    { name: "Read", input: { path } },
    { name: "Edit", input: { path, old_string: before, new_string: after } },
  ],
  shows: "nothing",
  announces: [],
  killsHooks: true,
};

function tableOf(fields: object): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[hooks]]\n${lines.join("\n")}\n`;
}
