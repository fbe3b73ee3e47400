/**
 * The agent host VS Code: recognizes its input, answers it, and installs a `Stop` hook in `.github/hooks`. It also
 * runs the hooks of Claude Code, and parses those of Copilot CLI. Not run here; by
 * https://code.visualstudio.com/docs/agent-customization/hooks (2026-06-03, Preview).
 */
import { prefixed, printed } from "@/cli/gauntlet/hosts/answers";
import { claudeHost } from "@/cli/gauntlet/hosts/claude/index";
import { copilotFiles } from "@/cli/gauntlet/hosts/copilot/index";
import { hookEntries, USUAL } from "@/cli/gauntlet/hosts/define";
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
    files: copilotFiles("agent-gauntlet-vscode.json"),
    format: { isGrouped: false, commandKey: "command", emptyFile: {} },
    ...hookEntries("vscode", ["Stop", "UserPromptSubmit"], { defaultS: 30 }),
    alsoRuns: [claudeHost],
  },
};
