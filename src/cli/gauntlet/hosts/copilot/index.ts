/** Copilot CLI: an `agentStop` hook in `.github/hooks`, or a `Stop` hook of Claude Code, which it runs as well. */
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { claudeHost } from "@/cli/gauntlet/hosts/claude/index";
import { stopEntry, turnStartEntry } from "@/cli/gauntlet/hosts/hookEntries";
import { jsonLine, shown } from "@/cli/gauntlet/hosts/answers";
import { stopFit } from "@/cli/gauntlet/hosts/stopFit";
import type { AgentHost, HostAnswer, HostDecision, HostPlace } from "@/cli/gauntlet/hosts/types";
import { COPILOT_NEEDS_TRUST } from "@/cli/gauntlet/messages/hosts";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

const HOOK_FOLDER = ".github/hooks";
const FILE = "agent-gauntlet.json";

export const copilotHost: AgentHost = {
  name: "copilot",
  fit: (input) =>
    stopFit(input, {
      folder: ".copilot",
      // The second is sent to a hook of Claude Code.
      ownFields: [["stopReason"], ["stop_reason"], ["transcriptPath"]],
      foreignFields: [
        "turn_id",
        "prompt_id",
        "effort",
        "prompt_response",
        "context_usage",
        "hookEventName",
      ],
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
  about: {
    holds: "until the gates pass",
    sees: "the message as an error",
    cap: "8",
    trust: "that of the folder, for shared hooks",
    tried: "with Copilot CLI 1.0.102, by hand",
  },
  install: {
    title: "Copilot CLI",
    program: "copilot",
    folder: HOOK_FOLDER,
    files: (place) => [
      { path: `${copilotFolder(place)}/hooks/${FILE}`, isShared: false, targetOf: ["personal"] },
      { path: `${place.projectDir}/${HOOK_FOLDER}/${FILE}`, isShared: true, targetOf: ["shared"] },
    ],
    folders: (place) => [`${copilotFolder(place)}/hooks`, `${place.projectDir}/${HOOK_FOLDER}`],
    format: { isGrouped: false, commandKey: "bash", emptyFile: { version: 1 } },
    stop: stopEntry("copilot", "agentStop", { field: "timeoutSec", perSecond: 1, defaultS: 30 }),
    turnStart: turnStartEntry("userPromptSubmitted"),
    alsoRuns: [claudeHost],
    sharedNextStep: COPILOT_NEEDS_TRUST,
  },
};

/** Returns the folder of the user's settings. Its hooks run in every folder. */
export function copilotFolder({ home, env }: HostPlace): string {
  return env.COPILOT_HOME?.startsWith("/") === true ? env.COPILOT_HOME : `${home}/.copilot`;
}

/** Copilot shows the user only standard error with exit code 2, which does not send the agent back. */
function answer(decision: HostDecision): HostAnswer {
  const { result, personMessage } = decision;
  if (isBlockingStatus(result.status) || personMessage === undefined) return jsonLine(decision);
  return shown(personMessage, 2);
}
