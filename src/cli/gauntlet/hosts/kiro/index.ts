/**
 * Defines the agent host Kiro CLI: how its input is recognized and answered, and that `init` installs the hooks `Stop`
 * and `UserPromptSubmit` in a file of the user's or the project's `.kiro/hooks`; the IDE of Kiro does not obey their
 * block. Not tried here, only written from https://kiro.dev/docs/hooks/types.md and https://kiro.dev/docs/cli/v3/hooks/
 * (2026-11-23).
 */
import { orShown, strictLine } from "@/cli/gauntlet/hosts/answers";
import * as hosts from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

export const kiroHost: KnownHost = {
  ...hosts.USUAL,
  name: "kiro",
  fit: (input) => ("assistant_response" in input ? "certain" : "foreign"),
  readInput: (input) =>
    hosts.readCommonFields({ last_assistant_message: input.assistant_response, ...input }),
  beginsTurnWhenInactive: false,
  showsAtTurnStart: false,
  limits: { reasonChars: 8_000, isOnce: true },
  // It shows its user the standard error of a hook that fails.
  answer: orShown(1, strictLine),
  about:
    "once in a turn (`--v3`), else until the gates pass | a warning | 1 with `--v3` | none documented | by documentation",
  install: {
    title: "Kiro CLI",
    programs: ["kiro-cli"],
    folders: [".kiro"],
    files: hosts.userAndProject(".kiro/hooks", "agent-gauntlet.json"),
    format: async () => (await import("@/cli/gauntlet/hosts/kiro/kiroSyntax")).kiroSyntax,
    ...hosts.hookEntries("kiro", ["Stop", "UserPromptSubmit"], { defaultS: 30 }),
  },
};
