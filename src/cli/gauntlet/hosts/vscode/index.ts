/**
 * The agents of VS Code: a `Stop` hook in `.github/hooks`. It also runs the hooks of Claude Code, and parses those of
 * Copilot CLI. Not run here; by https://code.visualstudio.com/docs/agent-customization/hooks (2026-06-03, Preview).
 */
import { prefixed, printed } from "@/cli/gauntlet/hosts/answers";
import { claudeHost } from "@/cli/gauntlet/hosts/claude/index";
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { copilotFolder } from "@/cli/gauntlet/hosts/copilot/index";
import { stopEntry, turnStartEntry } from "@/cli/gauntlet/hosts/hookEntries";
import type { AgentHost, HostAnswer, HostDecision } from "@/cli/gauntlet/hosts/types";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

const FILE = "agent-gauntlet-vscode.json";

export const vscodeHost: AgentHost = {
  name: "vscode",
  // No other host has the name of the event in camel case.
  fit: (input) => ("hookEventName" in input ? "certain" : "foreign"),
  ownVariables: [],
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  showsAtTurnStart: true,
  limits: { reasonChars: 8_000 },
  answer,
  about: {
    holds: "until the gates pass",
    sees: "a warning in the chat",
    cap: "none documented",
    trust: "that of the workspace",
    tried: "by documentation",
  },
  install: {
    title: "VS Code",
    program: "code",
    files: (place) => [
      { path: `${copilotFolder(place)}/hooks/${FILE}`, isShared: false, targetOf: ["personal"] },
      { path: `${place.projectDir}/.github/hooks/${FILE}`, isShared: true, targetOf: ["shared"] },
    ],
    format: { isGrouped: false, commandKey: "command", emptyFile: {} },
    stop: stopEntry("vscode", "Stop", { field: "timeout", perSecond: 1, defaultS: 30 }),
    turnStart: turnStartEntry("UserPromptSubmit"),
    alsoRuns: [claudeHost],
  },
};

function answer({ result, reason, personMessage }: HostDecision): HostAnswer {
  const block = { hookEventName: "Stop", decision: "block", reason };
  return printed({
    ...(isBlockingStatus(result.status) ? { hookSpecificOutput: block } : {}),
    systemMessage: prefixed(personMessage),
  });
}
