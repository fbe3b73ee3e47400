/** Copilot CLI: an `agentStop` hook in `.github/hooks`, or a `Stop` hook of Claude Code, which it runs as well. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { claudeHost } from "@/cli/gauntlet/agentHosts/claude";
import { stopEntry, turnStartEntry } from "@/cli/gauntlet/agentHosts/hookEntries";
import { jsonLine, prefixed } from "@/cli/gauntlet/agentHosts/jsonLine";
import { stopFit } from "@/cli/gauntlet/agentHosts/stopFit";
import type {
  AgentHost,
  HostAnswer,
  HostDecision,
  HostPlace,
} from "@/cli/gauntlet/agentHosts/types";
import { COPILOT_NEEDS_TRUST } from "@/cli/gauntlet/messages/hosts";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

const HOOK_FOLDER = ".github/hooks";
const FILE = "agent-gauntlet.json";
const COMMAND_KEY = "bash";

export const copilotHost: AgentHost = {
  name: "copilot",
  fit: (input) =>
    stopFit(input, {
      folder: ".copilot",
      // The second is sent to a hook of Claude Code.
      ownFields: [["stopReason"], ["stop_reason"], ["transcriptPath"]],
      foreignFields: ["turn_id", "prompt_id", "effort", "prompt_response", "context_usage"],
    }),
  ownVariables: ["COPILOT_CLI"],
  readInput: (input) => {
    const { timestamp } = input;
    const time = typeof timestamp === "string" ? Date.parse(timestamp) : timestamp;
    return {
      ...readCommonFields(input),
      // The hooks of the user and of the project run one after the other, each in the form of its file.
      stopId: typeof time === "number" && !Number.isNaN(time) ? String(time) : undefined,
    };
  },
  beginsTurnWhenInactive: true,
  showsAtTurnStart: false,
  limits: { reasonChars: 8_000 },
  answer,
  install: {
    title: "Copilot CLI",
    program: "copilot",
    folder: HOOK_FOLDER,
    files: (place) => [
      { path: `${ownFolder(place)}/${FILE}`, isShared: false, targetOf: ["personal"] },
      { path: `${place.projectDir}/${HOOK_FOLDER}/${FILE}`, isShared: true, targetOf: ["shared"] },
    ],
    folders: (place) => [ownFolder(place), `${place.projectDir}/${HOOK_FOLDER}`],
    format: { isGrouped: false, commandKey: COMMAND_KEY, emptyFile: { version: 1 } },
    stop: stopEntry(
      "copilot",
      "agentStop",
      { field: "timeoutSec", perSecond: 1, defaultS: 30 },
      COMMAND_KEY
    ),
    turnStart: turnStartEntry("userPromptSubmitted", COMMAND_KEY),
    alsoRuns: [claudeHost],
    sharedNextStep: COPILOT_NEEDS_TRUST,
  },
};

/** Returns the folder of the user's own hooks, which run in every folder. */
function ownFolder({ home, env }: HostPlace): string {
  const own = env.COPILOT_HOME?.startsWith("/") === true ? env.COPILOT_HOME : `${home}/.copilot`;
  return `${own}/hooks`;
}

/** Copilot shows the user only standard error with exit code 2, which does not send the agent back. */
function answer(decision: HostDecision): HostAnswer {
  const { result, personMessage } = decision;
  if (isBlockingStatus(result.status) || personMessage === undefined) return jsonLine(decision);
  return { stdout: "", stderr: `${prefixed(personMessage)}\n`, exitCode: 2 };
}
