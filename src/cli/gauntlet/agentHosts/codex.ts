/** Codex: a `Stop` hook in `hooks.json` of the user's or the project's `.codex`. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { stopEntry, turnStartEntry, userAndProject } from "@/cli/gauntlet/agentHosts/hookEntries";
import { prefixed } from "@/cli/gauntlet/agentHosts/jsonLine";
import { stopFit } from "@/cli/gauntlet/agentHosts/stopFit";
import type {
  AgentHost,
  HostAnswer,
  HostDecision,
  HostPlace,
} from "@/cli/gauntlet/agentHosts/types";
import { codexNeedsTrust } from "@/cli/gauntlet/messages/hosts";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

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
  answer,
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

/** Codex rejects an answer that has an unknown field or the decision `approve`, and the agent then stops. */
function answer({ result, reason, personMessage }: HostDecision): HostAnswer {
  const fields = {
    ...(isBlockingStatus(result.status) ? { decision: "block", reason } : {}),
    ...(personMessage === undefined ? {} : { systemMessage: prefixed(personMessage) }),
  };
  return { stdout: `${JSON.stringify(fields)}\n`, stderr: "", exitCode: 0 };
}
