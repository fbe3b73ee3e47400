/** Examines whether Codex trusts the hooks. It skips the others without a message. */
import { good, info, problem, type Finding } from "@/cli/gauntlet/doctor/report";
import { listCodexHooks } from "@/cli/gauntlet/hosts/codex/trust";
import type { InstalledHook } from "@/cli/gauntlet/init/hooks/Installation";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { pathOutside } from "@/cli/ownCommands";
import { findOnPath } from "@/node/runtime/process/findOnPath";
import { runsGauntlet } from "@/node/services/hooks/index";
import * as messages from "@/cli/gauntlet/messages/doctor";

export async function examineCodexTrust(
  hooks: readonly InstalledHook[],
  place: InitPlace
): Promise<Finding[]> {
  const file = await findOnPath("codex", pathOutside(place.projectDir, place));
  if (file === undefined) return [info(messages.CODEX_NOT_ON_PATH)];
  const listed = await listCodexHooks(place, file);
  if (listed.isErr()) {
    return [problem(messages.codexTrustUnknown(listed.error), messages.CODEX_REVIEW_STEP)];
  }
  const own = listed.value.filter(({ command }) =>
    ["stop-hook", "turn-start"].some((name) => runsGauntlet({ type: "command", command }, name))
  );
  // The text of a command in TOML is not decoded.
  const expected = hooks.filter(({ layer }) => layer.file.isToml !== true);
  const isListed = ({ handler }: InstalledHook): boolean =>
    own.some(({ command }) => command === handler.command);
  if (own.length === 0 || !expected.every(isListed)) {
    return [problem(messages.CODEX_LISTS_NO_HOOK, messages.CODEX_REVIEW_STEP)];
  }
  return own.every(({ isTrusted }) => isTrusted)
    ? [good(messages.CODEX_TRUSTS)]
    : [problem(messages.CODEX_DOES_NOT_TRUST, messages.codexTrustStep())];
}
