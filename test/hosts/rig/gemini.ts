/** Gemini CLI with a key that is no key, and the scripted model in place of Google's. */
import { join } from "node:path";
import { geminiFormat } from "@test/hosts/model/generateContent";
import type { HostDriver } from "@test/hosts/rig/hostDriver";

const FLAGS = ["--approval-mode", "yolo", "--model", "gemini-2.5-flash"];

const SETTINGS = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: "gemini-api-key" } },
};

export const gemini: HostDriver = {
  name: "gemini",
  format: geminiFormat,
  env: ({ modelUrl }) => ({
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
  files: ({ home }) => ({ [join(home, ".gemini/settings.json")]: JSON.stringify(SETTINGS) }),
  hooks: ({ home, project }, { stop, turnStart }, scope) => ({
    path: join(scope === "user" ? home : project, ".gemini/settings.json"),
    content: {
      ...(scope === "user" ? SETTINGS : {}),
      hooks: {
        // In milliseconds.
        AfterAgent: [{ hooks: [{ type: "command", command: stop, timeout: 300_000 }] }],
        BeforeAgent: [{ hooks: [{ type: "command", command: turnStart }] }],
      },
    },
  }),
  begin: (message) => [...FLAGS, "--prompt", message],
  resume: (message) => [...FLAGS, "--resume", "latest", "--prompt", message],
  edit: (path, before, after) => {
    const instruction = `Replace ${before} by ${after}.`;
    const text = { old_string: before, new_string: after };
    return [{ name: "replace", input: { file_path: path, instruction, ...text } }];
  },
  shows: "message",
  announces: ["reason"],
  killsHooks: false,
};
