/** Reports for `doctor` the plugin of this package in Claude Code, which installs the same two hooks (G29). */
import { good, problem, type Finding } from "@/cli/gauntlet/doctor/finding";
import type { InstalledHook, Layer } from "@/cli/gauntlet/hosts/types";
import { objectOf, parseObject } from "@/common/json";
import { shownCommand } from "@/common/ownCommandName";

/** Returns a finding if the last settings file that names the plugin enables it. */
export function examinePlugin(
  hooks: readonly InstalledHook[],
  layers: readonly Layer[]
): Finding[] {
  const plugins = layers.flatMap(({ source }) =>
    Object.entries(objectOf(parseObject(source).enabledPlugins))
  );
  const [, isEnabled] = plugins.findLast(([id]) => id.startsWith("agent-gauntlet@")) ?? [];
  if (isEnabled !== true) return [];
  if (hooks.length === 0) return [good("uses the plugin agent-gauntlet")];
  const uninstall = `run "${shownCommand()} uninstall --hook claude", or disable the plugin`;
  return [
    problem("the plugin agent-gauntlet has the same hooks, so the gates run twice", uninstall),
  ];
}
