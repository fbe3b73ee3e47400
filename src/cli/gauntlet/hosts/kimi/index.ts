/**
 * Defines the agent host Kimi Code, which sends one stop a turn: how its input is recognized and answered, and that
 * `init` installs the hooks `Stop` and `UserPromptSubmit` in the user's `config.toml`. Written from
 * https://moonshotai.github.io/kimi-code/en/customization/hooks.html (2026-11-23) and tried with Kimi Code 2.1.0.
 */
import { exit2 } from "@/cli/gauntlet/hosts/answers";
import * as hosts from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

export const kimiHost: KnownHost = {
  ...hosts.USUAL,
  name: "kimi",
  fit: ({ client_type: client }) =>
    typeof client === "string" && client.startsWith("kimi") ? "certain" : "foreign",
  readInput: ({ prompt, ...input }) =>
    hosts.readCommonFields({ ...input, prompt: hosts.textOf(prompt) }),
  showsAtTurnStart: false,
  // It sends only the first stop of a turn, with `stop_hook_active: false`, and no second one after a block.
  limits: { reasonChars: 8_000, isOnce: true },
  answer: exit2,
  about: "once in a turn | only the agent's answer | 1 | none | with Kimi Code 2.1.0",
  install: {
    title: "Kimi Code",
    programs: ["kimi"],
    folders: [".kimi-code"],
    files: (place) =>
      hosts.userAndProject(".kimi-code", "config.toml", "KIMI_CODE_HOME")(place).slice(0, 1),
    format: async () => (await import("@/cli/gauntlet/hosts/kimi/tomlHookSyntax")).tomlSyntax,
    ...hosts.hookEntries("kimi", ["Stop", "UserPromptSubmit"], { defaultS: 30, maxS: 600 }),
  },
};
