/** The definitions of plugins in the trust record: ID, version, folder and hooks, but no other file of them (H38). */
import { posix } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { claudeSettings } from "@/node/services/hooks/settings/claude/claudeSettings";
import { parsePluginId } from "@/node/services/hooks/settings/claude/claudeKeys";
import { settingsText } from "@/node/services/hooks/settings/definitions";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import { EMPTY_SETTINGS, parseSettings } from "@/node/services/hooks/settings/parseFile";

/** Returns the definitions of the plugins among `sources`, by ID. Of a plugin that is not read, only the layer is known. */
export function definePlugins(sources: readonly SettingsSource[]): Record<string, string> {
  const byId = new Map<string, SettingsSource[]>();
  for (const source of sources) {
    if (source.plugin === undefined) continue;
    if (source.settings.hooks.length === 0 && source.isUnread !== true) continue;
    byId.set(source.plugin.id, [...(byId.get(source.plugin.id) ?? []), source]);
  }
  return Object.fromEntries([...byId].map(([id, files]) => [id, pluginText(files)]));
}

function pluginText(files: readonly SettingsSource[]): string {
  const [first] = files;
  const hooks = files.flatMap(({ settings }) => settings.hooks);
  const defined = JSON.parse(settingsText({ ...EMPTY_SETTINGS, hooks })) as object;
  const { version, root, data } = first?.plugin ?? {};
  const text = { enabledIn: first?.layer, version, root, data, ...defined };
  return `${JSON.stringify(text, undefined, 2)}\n`;
}

/** Builds the sources of plugins from recorded definitions, without reading a file. */
export function recallPlugins(plugins: Readonly<Record<string, string>>): SettingsSource[] {
  return Object.entries(plugins).flatMap(([id, text]) => {
    const value = parseJson(text).unwrapOr(undefined);
    if (!isJsonObject(value) || parsePluginId(id) === undefined) return [];
    const { enabledIn, version, root, data } = value;
    const texts = [version, root, data].filter((each) => typeof each === "string");
    const [knownVersion = "", knownRoot = "", knownData = ""] = texts;
    if (texts.length < 3 || !posix.isAbsolute(knownRoot)) return [];
    const file = posix.join(knownRoot, "hooks", "hooks.json");
    const settings = claudeSettings(parseSettings(file, text).unwrapOr(EMPTY_SETTINGS));
    const hooks = settings.hooks.map((hook) => ({ ...hook, line: 1, column: 1 }));
    return [
      {
        layer: enabledIn === "local" ? ("local" as const) : ("project" as const),
        file,
        settings: { ...EMPTY_SETTINGS, hooks },
        isClaude: true,
        plugin: { id, version: knownVersion, root: knownRoot, data: knownData },
      },
    ];
  });
}
