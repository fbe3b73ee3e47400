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
  settingsText,
  type Definitions,
} from "@/node/services/hooks/settings/definitions";
import {
  claudeSettings,
  restrictClaude,
} from "@/node/services/hooks/settings/claude/claudeSettings";
import { EMPTY_SETTINGS, parseSettings } from "@/node/services/hooks/settings/parseFile";
import { mergeValues, type SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import { scriptEvent } from "@/node/services/hooks/settings/paths";
import { scriptSettings } from "@/node/services/hooks/settings/readFile";
import type { HookLayer } from "@/node/services/hooks/contract/types";
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
  const plugins = definePlugins(sources);
  const settings = sources
    .filter(({ isScript, plugin }) => isScript !== true && plugin === undefined)
    .filter(({ settings }) => definesAnything(settings))
    .map(({ file, settings }) => [nameOf(file), settingsText(settings)]);
  const scripts = sources.flatMap(({ file, script }) =>
    script === undefined ? [] : [[nameOf(file), encodeContent(script.bytes)]]
  );
  return {
    settings: Object.fromEntries(settings) as Definitions["settings"],
    scripts: Object.fromEntries(scripts) as Definitions["scripts"],
    ...(Object.keys(plugins).length === 0 ? {} : { plugins }),
  };
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
  const settings = Object.entries(definitions.settings);
  const recall = (isClaudes: boolean): SettingsSource[] =>
    settings
      .filter(([name]) => name.startsWith(".claude/") === isClaudes)
      .map(([name, text]) => recallSettings(name, text, projectDir));
  const scripts = Object.entries(definitions.scripts).flatMap(([name, content]) => {
    const event = scriptEvent(name);
    const file = posix.join(projectDir, name);
    if (event === undefined) return [];
    const script = { bytes: decodeContent(content) };
    return [
      { layer: "script" as const, file, isScript: true, ...scriptSettings(file, event), script },
    ];
  });
  const parts = await inspectParts(builtins, (name, inspect) => {
    const part = definitions.builtins[name];
    if (part === undefined) return Promise.resolve(undefined);
    const dir = posix.join(projectDir, part.dir);
    return inspect(recordedFiles(part.files, dir), dir);
  });
  return {
    own: [...recall(false), ...scripts],
    claude: [...recall(true), ...recallPlugins(definitions.plugins ?? {})],
    definitions,
    parts,
  };
}

/** Parses recorded settings. Their positions match no file, so every hook gets line 1 and column 1. */
function recallSettings(name: string, text: string, projectDir: string): SettingsSource {
  const file = posix.join(projectDir, name);
  const parsed = parseSettings(file, text).unwrapOr(EMPTY_SETTINGS);
  const isClaude = name.startsWith(".claude/");
  const settings = isClaude ? claudeSettings(parsed) : parsed;
  const hooks = settings.hooks.map((hook) => ({ ...hook, line: 1, column: 1 }));
  const layer = name.endsWith("settings.local.json") ? "local" : "project";
  return { layer, file, isClaude, settings: { ...settings, hooks, diagnostics: [] } };
}

/** Returns the definitions of the plugins among `sources`, by ID. Of a plugin that is not read, only the layer is known. */
function definePlugins(sources: readonly SettingsSource[]): Record<string, string> {
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
function recallPlugins(plugins: Readonly<Record<string, string>>): SettingsSource[] {
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
