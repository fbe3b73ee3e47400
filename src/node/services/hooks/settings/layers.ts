/** The two halves of the configuration: the user's own files, and those that came with the checkout (H3, H31). */
import { posix } from "node:path";
import type { BuiltinHooks } from "@/node/services/hooks/contract/builtinHooks";
import {
  inspectParts,
  recordedFiles,
  type CheckoutParts,
} from "@/node/services/hooks/settings/builtinInputs";
import {
  NO_DEFINITIONS,
  decodeContent,
  definesAnything,
  encodeContent,
  reduceSettings,
  type Definitions,
} from "@/node/services/hooks/settings/definitions";
import {
  claudeSettings,
  restrictClaude,
} from "@/node/services/hooks/settings/claude/claudeSettings";
import {
  EMPTY_SETTINGS,
  parseSettings,
  type ParsedSettings,
} from "@/node/services/hooks/settings/parseFile";
import { mergeValues, type SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import { scriptEvent } from "@/node/services/hooks/settings/paths";
import { scriptSource } from "@/node/services/hooks/settings/readFile";
import type { HookLayer, PluginOrigin } from "@/node/services/hooks/contract/types";
import { isJsonObject, parseJson } from "@/common/json";
import { parsePluginId } from "@/node/services/hooks/settings/claude/claudeKeys";

/** Settings files and scripts in layer order, and Claude's files separately (H9). */
export interface Layers {
  readonly own: readonly SettingsSource[];
  readonly claude: readonly SettingsSource[];
}

export interface CheckoutLayers extends Layers {
  readonly definitions: Definitions;
  readonly parts: CheckoutParts;
}

export const NO_LAYERS: CheckoutLayers = {
  own: [],
  claude: [],
  definitions: NO_DEFINITIONS,
  parts: new Map(),
};

const LAYERS: readonly HookLayer[] = ["builtin", "user", "project", "local", "script"];

/**
 * Returns the sources in layer order. If Claude's files are imported, they come right before their Mux layer. Without
 * trust, a request of the checkout to import them does not count (H31).
 */
export function inLayerOrder(user: Layers, checkout: Layers, trusted: boolean): SettingsSource[] {
  const own = [...user.own, ...checkout.own];
  const isImported = importsClaude(trusted ? own : user.own);
  const claude = isImported ? restrictClaude([...user.claude, ...checkout.claude], trusted) : [];
  return LAYERS.flatMap((layer) => [...claude, ...own].filter((source) => source.layer === layer));
}

export function importsClaude(sources: readonly SettingsSource[]): boolean {
  return mergeValues(sources).importClaudeHooks === true;
}

/** Returns the definitions of sources; `nameOf` shortens their paths. */
export function definitionsOf(
  sources: readonly SettingsSource[],
  nameOf: (path: string) => string
): Pick<Definitions, "settings" | "scripts" | "plugins"> {
  const settings: Definitions["settings"] = {};
  const scripts: Definitions["scripts"] = {};
  const byPlugin = new Map<string, SettingsSource[]>();
  for (const source of sources) {
    const { file, script, plugin, isScript, isUnread } = source;
    if (script !== undefined) scripts[nameOf(file)] = encodeContent(script.bytes);
    if (plugin !== undefined && (source.settings.hooks.length > 0 || isUnread)) {
      byPlugin.set(plugin.id, [...(byPlugin.get(plugin.id) ?? []), source]);
    }
    if (isScript !== true && plugin === undefined && definesAnything(source.settings)) {
      settings[nameOf(file)] = jsonText(reduceSettings(source.settings));
    }
  }
  const plugins = [...byPlugin].map(([id, files]) => [id, pluginText(files)] as const);
  return {
    settings,
    scripts,
    plugins: plugins.length === 0 ? undefined : Object.fromEntries(plugins),
  };
}

/** Returns the recorded part of a plugin: version, folder and hooks, but no other file of it (H38). */
function pluginText(files: readonly SettingsSource[]): string {
  const [first] = files;
  const { version, root, data } = first?.plugin ?? {};
  const hooks = files.flatMap(({ settings }) => settings.hooks);
  const defined = reduceSettings({ ...EMPTY_SETTINGS, hooks });
  return jsonText({ enabledIn: first?.layer, version, root, data, ...defined });
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Returns the name of a file within its checkout, such as `.mux/settings.json`. */
export function nameInCheckout(path: string): string {
  return path.split("/").slice(-2).join("/");
}

/** Builds the layers of a checkout from definitions only, without reading its files. */
export async function recallLayers(
  definitions: Definitions,
  projectDir: string,
  builtins: BuiltinHooks
): Promise<CheckoutLayers> {
  const files = Object.entries(definitions.settings).map(([name, text]): SettingsSource => {
    const file = posix.join(projectDir, name);
    const layer = name.endsWith("settings.local.json") ? "local" : "project";
    const isClaude = name.startsWith(".claude/");
    return { layer, file, isClaude, settings: recallSettings(file, text, isClaude) };
  });
  const scripts = Object.entries(definitions.scripts).flatMap(([name, content]) => {
    const event = scriptEvent(name);
    if (event === undefined) return [];
    const script = { bytes: decodeContent(content) };
    const source = scriptSource(posix.join(projectDir, name), event);
    return [{ layer: "script" as const, ...source, script }];
  });
  const parts = await inspectParts(builtins, (name, inspect) => {
    const part = definitions.builtins[name];
    if (part === undefined) return Promise.resolve(undefined);
    const dir = posix.join(projectDir, part.dir);
    return inspect(recordedFiles(part.files, dir), dir);
  });
  return {
    own: [...files.filter(({ isClaude }) => !isClaude), ...scripts],
    claude: [
      ...files.filter(({ isClaude }) => isClaude),
      ...Object.entries(definitions.plugins ?? {}).flatMap(recallPlugin),
    ],
    definitions,
    parts,
  };
}

/** Parses recorded settings. Their positions match no file, so every hook gets line 1 and column 1. */
function recallSettings(file: string, text: string, isClaude: boolean): ParsedSettings {
  const parsed = parseSettings(file, text).unwrapOr(EMPTY_SETTINGS);
  const settings = isClaude ? claudeSettings(parsed) : parsed;
  const hooks = settings.hooks.map((hook) => ({ ...hook, line: 1, column: 1 }));
  return { ...settings, hooks, diagnostics: [] };
}

function recallPlugin([id, text]: [string, string]): SettingsSource[] {
  const value = parseJson(text).unwrapOr(undefined);
  if (!isJsonObject(value) || parsePluginId(id) === undefined) return [];
  const { enabledIn, version, root, data } = value;
  const isText = [version, root, data].every((each) => typeof each === "string");
  if (!isText || !posix.isAbsolute(root as string)) return [];
  const plugin = { id, version, root, data } as PluginOrigin;
  const file = posix.join(plugin.root, "hooks", "hooks.json");
  const layer = enabledIn === "local" ? "local" : "project";
  return [{ layer, file, settings: recallSettings(file, text, true), isClaude: true, plugin }];
}
