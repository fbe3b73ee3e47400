/** Describes the problems of all settings files, with the value that is used in place of an unusable one (H4). */
import type { Diagnostic } from "@/common/diagnostics";
import { DEFAULT_USED } from "@/node/services/hooks/messages/shared";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import type { SettingValues } from "@/node/services/hooks/settings/parseFile";

const VALUE_AT: ReadonlyMap<string, keyof SettingValues> = new Map([
  ["disableAllHooks", "disableAllHooks"],
  ["stopHooks.maxContinuations", "maxContinuations"],
  ["stopHooks.timeout", "defaultTimeoutS"],
  ["importClaudeHooks", "importClaudeHooks"],
  ["gauntlet.enabled", "gauntletEnabled"],
]);

/** Returns the problems of `sources`, which are in layer order, lowest first. */
export function describeUnusedValues(sources: readonly SettingsSource[]): Diagnostic[] {
  return sources.flatMap(({ settings }, i) =>
    settings.diagnostics.map((problem) => {
      const key = VALUE_AT.get(problem.keyPath);
      const lower = sources
        .slice(0, i)
        .findLast(
          ({ isClaude, settings: { values } }) =>
            isClaude !== true && key !== undefined && values[key] !== undefined
        );
      if (lower === undefined || !problem.message.endsWith(DEFAULT_USED)) return problem;
      const message = problem.message.slice(0, -DEFAULT_USED.length);
      return { ...problem, message: `${message}; the value in ${lower.file} is used` };
    })
  );
}
