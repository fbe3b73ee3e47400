/** Texts about agent hosts. Every stop loads this file, so it imports almost nothing. */
import { ownCommand } from "@/common/ownCommand";

export function codexNeedsTrust(): string {
  return `Codex runs the hook only after you trust it: start "codex" in this project and review the hooks, or run "${ownCommand()} init --hook codex --trust-codex". Until then "codex exec" silently skips it.`;
}

export const DROID_OTHER_FILE =
  "Factory Droid reads the hooks of settings.json only if the same folder has no hooks.json; if it has one, move them there.";

export const COPILOT_NEEDS_TRUST =
  'Copilot CLI runs the hooks of a project only in folders that you trust. Start "copilot" in this project and trust the folder; without "--trust-folder", "copilot -p" silently skips the hooks.';
