/**
 * Defines the agent host Codex: how its input is recognized and answered, and that `init` installs the hooks `Stop` and
 * `UserPromptSubmit` in `hooks.json` of the user's or the project's `.codex`. Finds hooks in its `config.toml`, and
 * tells users to let Codex trust the hooks.
 */
import { strictLine } from "@/cli/gauntlet/hosts/answers";
import { hookEntries, stopFit, userAndProject, USUAL } from "@/cli/gauntlet/hosts/hostParts";
import type { KnownHost } from "@/cli/gauntlet/hosts/types";
import { shownCommand } from "@/common/ownCommandName";

export const codexHost: KnownHost = {
  ...USUAL,
  takesContext: true,
  name: "codex",
  fit: stopFit({
    folder: ".codex",
    own: ["turn_id model"],
    foreign: "prompt_id timestamp sessionId stop_reason prompt_response",
  }),
  // Codex passes on about 2,500 tokens of a reason. It rejects an answer with an unknown field or the decision
  // `approve`, and the agent then stops.
  answer: strictLine,
  about:
    "until the gates pass | the message, not in `codex exec` | none | each hook; `--trust-codex` records it | with Codex 0.169.0",
  install: {
    title: "Codex",
    programs: ["codex"],
    folders: [".codex"],
    files: userAndProject(".codex", "hooks.json config.toml", "CODEX_HOME"),
    ...hookEntries("codex", ["Stop", "UserPromptSubmit"], { defaultS: 600 }),
    nextStep: () =>
      `Codex runs the hook only after you trust it: start "codex" in this project and review the hooks, or run "${shownCommand()} init --hook codex --trust-codex". Until then "codex exec" silently skips it.`,
    examine: async (hooks, place) => {
      const { examineCodexTrust } = await import("@/cli/gauntlet/hosts/codex/trust");
      return await examineCodexTrust(hooks, place);
    },
  },
};
