/**
 * Defines the agent host Copilot CLI: how its input is recognized and answered, and that `init` installs the hooks
 * `agentStop` and `userPromptSubmitted` in the project's `.github/hooks` or the user's `.copilot/hooks`. It also runs
 * the hooks of Claude Code in a project, and then needs none of its own.
 */
import { jsonLine, orShown } from "@/cli/gauntlet/hosts/answers";
import { claudeHost } from "@/cli/gauntlet/hosts/claude/index";
import * as hosts from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

const FOLDER = ".github/hooks";

export const copilotHost: KnownHost = {
  ...hosts.USUAL,
  name: "copilot",
  fit: hosts.stopFit({
    folder: ".copilot",
    // Copilot CLI sends `stop_reason` to a hook in a file of Claude Code.
    own: ["stopReason", "stop_reason", "transcriptPath"],
    foreign: "turn_id prompt_id effort prompt_response context_usage hookEventName",
  }),
  ownVariables: ["COPILOT_CLI"],
  readInput: (input) => {
    const { timestamp } = input;
    const time = typeof timestamp === "string" ? Date.parse(timestamp) : timestamp;
    return {
      ...hosts.readCommonFields(input),
      // The hooks of the user and of the project run one after the other, each in the form of its file.
      stopId: typeof time === "number" && !Number.isNaN(time) ? String(time) : undefined,
    };
  },
  showsAtTurnStart: false,
  // It shows the user only standard error with exit code 2, which does not send the agent back.
  answer: orShown(2, jsonLine),
  about:
    "until the gates pass | the message as an error | 8 | that of the folder, for shared hooks | with Copilot CLI 1.0.102, by hand",
  install: {
    title: "Copilot CLI",
    programs: ["copilot"],
    folders: [FOLDER],
    files: copilotFiles("agent-gauntlet.json"),
    hookFolders: (place) => [
      hosts.userFolder(place, ".copilot/hooks", "COPILOT_HOME"),
      `${place.projectDir}/${FOLDER}`,
    ],
    format: { isGrouped: false, commandKey: "bash", emptyFile: { version: 1 } },
    ...hosts.hookEntries("copilot", ["agentStop", "userPromptSubmitted"], {
      field: "timeoutSec",
      defaultS: 30,
    }),
    alsoRuns: [claudeHost],
    nextStep: (isShared) =>
      isShared
        ? 'Copilot CLI runs the hooks of a project only in folders that you trust. Start "copilot" in this project and trust the folder; without "--trust-folder", "copilot -p" silently skips the hooks.'
        : undefined,
  },
};

/** Returns the file of that name in the folders whose hooks Copilot CLI and VS Code run. */
export function copilotFiles(name: string): KnownHost["install"]["files"] {
  return hosts.userAndProject(FOLDER, name, "COPILOT_HOME", ".copilot/hooks");
}
