/**
 * Defines the agent host VS Code: how its input is recognized and answered, and that `init` installs the hooks `Stop`
 * and `UserPromptSubmit` in the project's `.github/hooks` or the user's `.copilot/hooks`. It also runs the hooks of
 * Claude Code. Not tried here, only written from https://code.visualstudio.com/docs/agent-customization/hooks
 * (2026-06-03, Preview).
 */
import { prefixed, printed } from "@/cli/gauntlet/hosts/answers";
import { claudeHost } from "@/cli/gauntlet/hosts/claude/index";
import { copilotFiles } from "@/cli/gauntlet/hosts/copilot/index";
import { hookEntries, USUAL } from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

export const vscodeHost: KnownHost = {
  ...USUAL,
  name: "vscode",
  // No other host has the name of the event in camel case.
  fit: (input) => ("hookEventName" in input ? "certain" : "foreign"),
  answer: ({ reason, personMessage }) => {
    const block = { hookEventName: "Stop", decision: "block", reason };
    const hookSpecificOutput = reason === undefined ? undefined : block;
    return printed({ hookSpecificOutput, systemMessage: prefixed(personMessage) });
  },
  about:
    "until the gates pass | a warning in the chat | none documented | that of the workspace | by documentation",
  install: {
    title: "VS Code",
    programs: ["code"],
    folders: [],
    // VS Code also parses the files of Copilot CLI, whose folders these are.
    files: copilotFiles("agent-gauntlet-vscode.json"),
    format: { isGrouped: false, commandKey: "command", emptyFile: {} },
    ...hookEntries("vscode", ["Stop", "UserPromptSubmit"], { defaultS: 30 }),
    alsoRuns: [claudeHost],
  },
};
