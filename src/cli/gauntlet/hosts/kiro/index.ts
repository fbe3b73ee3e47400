/**
 * Kiro CLI: a `Stop` hook in a file of the user's or the project's `.kiro/hooks`. The IDE of Kiro does not obey the block.
 * Not run here; by https://kiro.dev/docs/hooks/types.md and https://kiro.dev/docs/cli/v3/hooks/ (2026-11-23).
 */
import { shown, strictLine } from "@/cli/gauntlet/hosts/answers";
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { stopEntry, turnStartEntry, userAndProject } from "@/cli/gauntlet/hosts/hookEntries";
import type { AgentHost } from "@/cli/gauntlet/hosts/types";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

const FILE = "agent-gauntlet.json";

export const kiroHost: AgentHost = {
  name: "kiro",
  fit: (input) => ("assistant_response" in input ? "certain" : "foreign"),
  ownVariables: [],
  readInput: (input) =>
    readCommonFields({ last_assistant_message: input.assistant_response, ...input }),
  beginsTurnWhenInactive: false,
  showsAtTurnStart: false,
  limits: { reasonChars: 8_000, isOnce: true },
  // It shows its user the standard error of a hook that fails.
  answer: (decision) => {
    const { result, personMessage } = decision;
    if (isBlockingStatus(result.status) || personMessage === undefined) return strictLine(decision);
    return shown(personMessage, 1);
  },
  about: {
    holds: "once in a turn (`--v3`), else until the gates pass",
    sees: "a warning",
    cap: "1 with `--v3`",
    trust: "none documented",
    tried: "by documentation",
  },
  install: {
    title: "Kiro CLI",
    program: "kiro-cli",
    folder: ".kiro",
    files: (place) => userAndProject(place, `${place.home}/.kiro/hooks`, ".kiro/hooks", FILE),
    format: "kiro",
    stop: stopEntry("kiro", "Stop", { field: "timeout", perSecond: 1, defaultS: 30 }),
    turnStart: turnStartEntry("UserPromptSubmit"),
  },
};
