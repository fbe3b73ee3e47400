/**
 * Factory Droid: a `Stop` hook in `settings.json` of the user's or the project's `.factory`, in the format of Claude Code.
 * Not run here; by https://docs.factory.ai/harness/hooks (2026-11-23). Its `hooks.json` outranks these settings.
 */
import { strictLine } from "@/cli/gauntlet/hosts/answers";
import { readCommonFields } from "@/cli/gauntlet/hosts/commonFields";
import { stopEntry, turnStartEntry, userAndProject } from "@/cli/gauntlet/hosts/hookEntries";
import { stopFit } from "@/cli/gauntlet/hosts/stopFit";
import type { AgentHost } from "@/cli/gauntlet/hosts/types";
import { DROID_OTHER_FILE } from "@/cli/gauntlet/messages/hosts";

export const droidHost: AgentHost = {
  name: "droid",
  fit: (input) =>
    stopFit(input, {
      folder: ".factory",
      ownFields: [],
      foreignFields: [
        "turn_id",
        "prompt_id",
        "effort",
        "sessionId",
        "timestamp",
        "prompt_response",
      ],
    }),
  ownVariables: ["FACTORY_PROJECT_DIR"],
  projectVariable: "FACTORY_PROJECT_DIR",
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  showsAtTurnStart: true,
  limits: { reasonChars: 8_000 },
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
    program: "droid",
    folder: ".factory",
    files: (place) => userAndProject(place, `${place.home}/.factory`, ".factory", "settings.json"),
    stop: stopEntry("droid", "Stop", { field: "timeout", perSecond: 1, defaultS: 60 }),
    turnStart: turnStartEntry("UserPromptSubmit"),
    nextStep: DROID_OTHER_FILE,
  },
};
