/** Qwen Code with the scripted model as an OpenAI of its own. */
import { join } from "node:path";
import { chatFormat } from "@test/hosts/model/chatCompletions";
import { claudeHooks, type HostDriver } from "@test/hosts/rig/hostDriver";

const FLAGS = ["--approval-mode", "yolo", "--auth-type", "openai", "--model", "scripted"];

const SETTINGS = {
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: "openai" } },
};

export const qwen: HostDriver = {
  name: "qwen",
  format: chatFormat,
  env: ({ modelUrl }) => ({
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_MODEL: "scripted",
  }),
  files: ({ home }) => ({ [join(home, ".qwen/settings.json")]: JSON.stringify(SETTINGS) }),
  hooks: ({ home, project }, commands, scope) => ({
    path: join(scope === "user" ? home : project, ".qwen/settings.json"),
    content: {
      ...(scope === "user" ? SETTINGS : {}),
      hooks: claudeHooks(commands),
    },
  }),
  begin: (message) => [...FLAGS, "--prompt", message],
  resume: (message) => [...FLAGS, "--continue", "--prompt", message],
  // It edits only files that it has read.
  edit: (path, before, after) => [
    { name: "read_file", input: { file_path: path } },
    { name: "edit", input: { file_path: path, old_string: before, new_string: after } },
  ],
  shows: "message",
  announces: ["reason", "results"],
  killsHooks: true,
};
