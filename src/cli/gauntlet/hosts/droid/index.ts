/**
 * Factory Droid: a `Stop` hook in `settings.json` of the user's or the project's `.factory`, in the format of Claude Code.
 * Not run here; by https://docs.factory.ai/harness/hooks (2026-11-23). Its `hooks.json` outranks these settings.
 */
import { strictLine } from "@/cli/gauntlet/hosts/answers";
import { hookEntries, stopFit, userAndProject, USUAL } from "@/cli/gauntlet/hosts/define";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

export const droidHost: KnownHost = {
  ...USUAL,
  name: "droid",
  fit: (input) =>
    stopFit(input, {
      folder: ".factory",
      own: [],
      foreign: "turn_id prompt_id effort sessionId timestamp prompt_response",
    }),
  ownVariables: ["FACTORY_PROJECT_DIR"],
  projectVariable: "FACTORY_PROJECT_DIR",
  answer: strictLine,
  about: {
    holds: "until the gates pass",
    sees: "the message",
    cap: "none documented",
    trust: "none documented",
    tried: "by documentation",
  },
  install: {
    title: "Factory Droid",
    programs: ["droid"],
    folders: [".factory"],
    files: (place) => [
      ...userAndProject(".factory", "settings.json")(place),
      ...userAndProject(".factory", "hooks.json")(place).map((file) => ({ ...file, targetOf: [] })),
    ],
    outrankedBy: "hooks.json",
    ...hookEntries("droid", ["Stop", "UserPromptSubmit"], { defaultS: 60 }),
    nextStep: () =>
      "Factory Droid reads the hooks of settings.json only if the same folder has no hooks.json; if it has one, move them there.",
  },
};
