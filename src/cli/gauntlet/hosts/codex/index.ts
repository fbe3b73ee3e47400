/** Codex: a `Stop` hook in `hooks.json` of the user's or the project's `.codex`. */
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { stopEntry, turnStartEntry, userAndProject } from "@/cli/gauntlet/hosts/hookEntries";
import { strictLine } from "@/cli/gauntlet/hosts/answers";
import { stopFit } from "@/cli/gauntlet/hosts/stopFit";
import type { AgentHost, HostPlace } from "@/cli/gauntlet/hosts/types";
import { codexNeedsTrust } from "@/cli/gauntlet/messages/hosts";

export const codexHost: AgentHost = {
  name: "codex",
  fit: (input) =>
    stopFit(input, {
      folder: ".codex",
      ownFields: [["turn_id", "model"]],
      foreignFields: ["prompt_id", "timestamp", "sessionId", "stop_reason", "prompt_response"],
    }),
  // It sets none.
  ownVariables: [],
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  showsAtTurnStart: true,
  // It passes on about 2,500 tokens.
  limits: { reasonChars: 8_000 },
  // It rejects an answer with an unknown field or the decision `approve`, and the agent then stops.
  answer: strictLine,
  about: {
    holds: "until the gates pass",
    sees: "the message, not in `codex exec`",
    cap: "none",
    trust: "each hook; `--trust-codex` records it",
    tried: "with Codex 0.169.0",
  },
  install: {
    title: "Codex",
    program: "codex",
    folder: ".codex",
    files: (place) => [
      ...userAndProject(place, codexHome(place), ".codex", "hooks.json"),
      ...userAndProject(place, codexHome(place), ".codex", "config.toml").map((file) => ({
        ...file,
        targetOf: [],
        isToml: true,
      })),
    ],
    stop: stopEntry("codex", "Stop", { field: "timeout", perSecond: 1, defaultS: 600 }),
    turnStart: turnStartEntry("UserPromptSubmit"),
    get nextStep() {
      return codexNeedsTrust();
    },
  },
};

function codexHome({ home, env }: HostPlace): string {
  return env.CODEX_HOME?.startsWith("/") === true ? env.CODEX_HOME : `${home}/.codex`;
}
