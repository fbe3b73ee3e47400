/** The programs that are tested as reviewers, with the scripted model in place of their own. */
import { join } from "node:path";
import { chatFormat } from "@test/hosts/model/chatCompletions";
import { codex } from "@test/hosts/rig/codex";
import { gemini } from "@test/hosts/rig/gemini";
import { commandOf } from "@test/hosts/rig/installed";
import { qwen } from "@test/hosts/rig/qwen";
import type { ReviewerDriver } from "@test/hosts/rig/ReviewerRig";
import { opencodeConfig } from "@test/hosts/rig/opencodeConfig";

const DRIVERS: readonly ReviewerDriver[] = [
  {
    ...codex,
    // A reviewer gets only the variables of its own program.
    env: () => ({ OPENAI_API_KEY: "none" }),
    files: (place) =>
      Object.fromEntries(
        Object.entries(codex.files(place)).map(([path, text]) => [
          path,
          text.replace("SCRIPTED_KEY", "OPENAI_API_KEY"),
        ])
      ),
    writes: (path) => [
      { name: "exec_command", input: { cmd: `echo x > ${path}` } },
      { name: "exec_command", input: { cmd: patchThatAdds(path) } },
    ],
  },
  {
    ...gemini,
    model: "gemini-2.5-flash",
    env: (place) => ({ ...gemini.env(place), GEMINI_CLI_TRUST_WORKSPACE: "" }),
    writes: (path) => [
      { name: "write_file", input: { file_path: path, content: "x" } },
      { name: "run_shell_command", input: { command: `echo x > ${path}` } },
      { name: "enter_plan_mode", input: {} },
    ],
  },
  {
    ...qwen,
    // It had not given up after 420 s.
    triesAgainForS: Infinity,
    writes: (path) => [
      { name: "write_file", input: { file_path: path, content: "x" } },
      { name: "run_shell_command", input: { command: `echo x > ${path}`, is_background: false } },
    ],
  },
  {
    name: "opencode",
    triesAgainForS: 90,
    format: chatFormat,
    env: ({ modelUrl }) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify(
        opencodeConfig("@ai-sdk/openai-compatible", `${modelUrl}/v1`)
      ),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    }),
    // Without this, it waits at its start for an installation from the registry.
    files: ({ home }) => ({
      [join(home, ".npmrc")]: "fetch-retries=0\nfetch-timeout=1\nregistry=http://127.0.0.1:9\n",
    }),
    writes: (path) => [
      { name: "write", input: { filePath: path, content: "x" } },
      { name: "bash", input: { command: `echo x > ${path}`, description: "x" } },
    ],
  },
];

/** Returns the programs that are installed and chosen, with their names. */
export function testedReviewers(): [string, ReviewerDriver][] {
  return DRIVERS.filter(({ name }) => commandOf(name) !== undefined).map((driver) => [
    driver.name,
    driver,
  ]);
}

function patchThatAdds(path: string): string {
  return `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\nEOF`;
}
