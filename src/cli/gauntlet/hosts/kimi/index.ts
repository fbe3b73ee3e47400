/**
 * Kimi Code: a `Stop` hook in the user's `config.toml`. It runs the hook once in a turn: not after it was blocked.
 * By https://moonshotai.github.io/kimi-code/en/customization/hooks.html (2026-11-23) and the program, 2.1.0.
 */
import { exit2 } from "@/cli/gauntlet/hosts/answers";
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { stopEntry, turnStartEntry } from "@/cli/gauntlet/hosts/hookEntries";
import type { AgentHost } from "@/cli/gauntlet/hosts/types";

export const kimiHost: AgentHost = {
  name: "kimi",
  fit: ({ client_type: client }) =>
    typeof client === "string" && client.startsWith("kimi") ? "certain" : "foreign",
  ownVariables: [],
  readInput: ({ prompt, ...input }) => readCommonFields({ ...input, prompt: textOf(prompt) }),
  // It always sends `stop_hook_active: false`, and one stop in each turn.
  beginsTurnWhenInactive: true,
  showsAtTurnStart: false,
  limits: { reasonChars: 8_000, isOnce: true },
  answer: exit2,
  about: {
    holds: "once in a turn",
    sees: "only the agent's answer",
    cap: "1",
    trust: "none",
    tried: "with Kimi Code 2.1.0",
  },
  install: {
    title: "Kimi Code",
    program: "kimi",
    folder: ".kimi-code",
    files: ({ home, env }) => {
      const own = env.KIMI_CODE_HOME?.startsWith("/") === true ? env.KIMI_CODE_HOME : undefined;
      const path = `${own ?? `${home}/.kimi-code`}/config.toml`;
      return [{ path, isShared: false, targetOf: ["personal"] }];
    },
    format: "kimi",
    stop: stopEntry("kimi", "Stop", { field: "timeout", perSecond: 1, defaultS: 30, maxS: 600 }),
    turnStart: turnStartEntry("UserPromptSubmit"),
  },
};

/** Joins the texts of a message, which is a list of parts. */
function textOf(prompt: unknown): unknown {
  if (!Array.isArray(prompt)) return prompt;
  const texts = prompt.map((part: unknown) => (part as { text?: unknown } | null)?.text);
  return texts.filter((text) => typeof text === "string").join("");
}
