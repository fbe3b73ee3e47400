/**
 * Defines the agent host Factory Droid: how its input is recognized and answered, and that `init` installs the hooks
 * `Stop` and `UserPromptSubmit` in `settings.json` of the user's or the project's `.factory`, which a `hooks.json`
 * beside it outranks. Not tried here, only written from https://docs.factory.ai/harness/hooks (2026-11-23).
 */
import { strictLine } from "@/cli/gauntlet/hosts/answers";
import { hookEntries, stopFit, userAndProject, USUAL } from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";

export const droidHost: KnownHost = {
  ...USUAL,
  name: "droid",
  fit: stopFit({
    folder: ".factory",
    own: [],
    foreign: "turn_id prompt_id effort sessionId timestamp prompt_response",
  }),
  ownVariables: ["FACTORY_PROJECT_DIR"],
  projectVariable: "FACTORY_PROJECT_DIR",
  answer: strictLine,
  about:
    "until the gates pass | the message | none documented | none documented | by documentation",
  install: {
    title: "Factory Droid",
    programs: ["droid"],
    folders: [".factory"],
    files: userAndProject(".factory", "settings.json hooks.json"),
    outrankedBy: "hooks.json",
    ...hookEntries("droid", ["Stop", "UserPromptSubmit"], { defaultS: 60 }),
    nextStep: () =>
      "Factory Droid reads the hooks of settings.json only if the same folder has no hooks.json; if it has one, move them there.",
  },
};
