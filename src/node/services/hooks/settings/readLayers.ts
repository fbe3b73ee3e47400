/**
 * Reads the settings files of the user and of the checkout as layers, in order (H3, H31), and limits how many handlers
 * a checkout may have (H5). Converts the layers of a checkout to what a trust record stores (the texts of its settings,
 * scripts and plugins), and rebuilds them from such a record.
 */
import { posix } from "node:path";
import { decodeContent, recordedFiles } from "@/node/runtime/fileContents";
import type { BuiltinHooks } from "@/node/services/hooks/contract/builtinRegistry";
import * as snapshots from "@/node/services/hooks/settings/hookDefinitions";
import {
  claudeSettings,
  restrictClaude,
} from "@/node/services/hooks/settings/claude/filterSettings";
import * as parsing from "@/node/services/hooks/settings/parseSettings";
import { mergeValues } from "@/node/services/hooks/settings/mergeLayers";
import * as found from "@/node/services/hooks/settings/findFiles";
import {
  readOnce,
  scriptSlot,
  scriptSource,
  settingsSlot,
  type SettingsSource,
} from "@/node/services/hooks/settings/readHookFiles";
import type { HookLayer, PluginOrigin } from "@/node/services/hooks/contract/types";
import { isJsonObject, parseJson } from "@/common/json";
import { parsePluginId } from "@/node/services/hooks/settings/claude/readClaudeKeys";
import { type Diagnostic, fileDiagnostic } from "@/common/diagnostics";
import { MAX_HANDLERS } from "@/common/limits";
import * as workspaces from "@/node/services/hooks/settings/cachedReads";
import { readClaude } from "@/node/services/hooks/settings/claude/readClaudeFiles";

/** Settings files and scripts in layer order, and Claude's files separately (H9). */
export interface Layers {
  readonly own: readonly SettingsSource[];
  readonly claude: readonly SettingsSource[];
}

export interface CheckoutLayers extends Layers {
  readonly definitions: snapshots.Definitions;
  readonly parts: snapshots.CheckoutParts;
}

export const NO_LAYERS: CheckoutLayers = {
  own: [],
  claude: [],
  definitions: snapshots.NO_DEFINITIONS,
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

function importsClaude(sources: readonly SettingsSource[]): boolean {
  return mergeValues(sources).importClaudeHooks === true;
}

/** Returns the definitions of sources; `nameOf` shortens their paths. */
function definitionsOf(
  sources: readonly SettingsSource[],
  nameOf: (path: string) => string
): Pick<snapshots.Definitions, "settings" | "scripts" | "plugins"> {
  const settings: snapshots.Definitions["settings"] = {};
  const scripts: snapshots.Definitions["scripts"] = {};
  const byPlugin = new Map<string, SettingsSource[]>();
  for (const source of sources) {
    const { file, script, plugin, isScript, isUnread } = source;
    if (script !== undefined) scripts[nameOf(file)] = snapshots.encodeContent(script.bytes);
    if (plugin !== undefined && (source.settings.hooks.length > 0 || isUnread)) {
      byPlugin.set(plugin.id, [...(byPlugin.get(plugin.id) ?? []), source]);
    }
    if (isScript !== true && plugin === undefined && snapshots.definesAnything(source.settings)) {
      settings[nameOf(file)] = jsonText(snapshots.reduceSettings(source.settings));
    }
  }
  // The recorded part of a plugin: version, folder and hooks, but no other file of it (H38).
  const plugins = [...byPlugin].map(([id, files]) => {
    const { layer: enabledIn, plugin: { version, root, data } = {} } = files[0] ?? {};
    const hooks = files.flatMap(({ settings: { hooks: own } }) => own);
    const defined = snapshots.reduceSettings({ ...parsing.EMPTY_SETTINGS, hooks });
    return [id, jsonText({ enabledIn, version, root, data, ...defined })] as const;
  });
  return {
    settings,
    scripts,
    plugins: plugins.length === 0 ? undefined : Object.fromEntries(plugins),
  };
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Builds the layers of a checkout from definitions only, without reading its files. */
export async function recallLayers(
  definitions: snapshots.Definitions,
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
    const event = found.scriptEvent(name);
    if (event === undefined) return [];
    const script = { bytes: decodeContent(content) };
    const source = scriptSource(posix.join(projectDir, name), event);
    return [{ layer: "script" as const, ...source, script }];
  });
  const parts = await snapshots.inspectParts(builtins, (name, inspect) => {
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
function recallSettings(file: string, text: string, isClaude: boolean): parsing.ParsedSettings {
  const parsed = parsing.parseSettings(file, text).unwrapOr(parsing.EMPTY_SETTINGS);
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

/** The layers as they are in the files now. */
export interface PresentLayers {
  readonly user: Layers & { readonly definitions: snapshots.Definitions };
  readonly checkout: CheckoutLayers;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ReadOptions {
  /** Layers of the checkout that replace those of its files. Claude's files are also read if these import them. */
  readonly chosen?: Layers | undefined;
  /** Whether the plugins of the checkout may be read (H38). */
  readonly plugins: boolean;
}

/** Reads all layers of a workspace. */
export async function readLayers(
  workspace: workspaces.Workspace,
  { chosen = { own: [], claude: [] }, plugins }: ReadOptions
): Promise<PresentLayers> {
  const { host, project, projectDir, runtime, home, builtins } = workspace;
  const [user, checkout] = await Promise.all([
    found.findUserFiles(host, workspace),
    found.findProjectFiles(project, projectDir),
  ]);
  const budget = new workspaces.CheckoutBudget();
  const machine = runtime.isRemote ? runtime.label : undefined;
  const own = await readOnce([
    ...settingsSlot("user", host, user.settings),
    ...user.scripts.map((file) => scriptSlot("user", host, file, machine)),
    ...settingsSlot("project", project, checkout.settings, budget),
    ...settingsSlot("local", project, checkout.local, budget),
    ...checkout.scripts.map((file) => scriptSlot("script", project, file)),
  ]);
  const users = own.filter(isUsers);
  const isImported = [own, users, [...users, ...chosen.own]].some(importsClaude);
  const { sources: claude, diagnostics } = isImported
    ? await readClaude(workspace, { budget, plugins })
    : { sources: [], diagnostics: [] };
  const files = workspaces.cachedReads(project);
  const { parts, recorded } = await snapshots.readParts(builtins, files, projectDir);
  const usersClaude = claude.filter(isUsers);
  const theirs = limitHandlers({
    own: own.filter((source) => !isUsers(source)),
    claude: claude.filter((source) => !isUsers(source)),
  });
  const counted = importsClaude(own) ? [...theirs.own, ...theirs.claude] : theirs.own;
  const noHome = `HOME is ${JSON.stringify(home)}, which is not an absolute path, so user settings in it are not read; set HOME to an absolute path`;
  return {
    user: {
      own: users,
      claude: usersClaude,
      definitions: {
        ...snapshots.NO_DEFINITIONS,
        ...definitionsOf([...users, ...usersClaude], (path) => path),
      },
    },
    checkout: {
      ...theirs,
      definitions: {
        ...definitionsOf(counted, (path) => path.split("/").slice(-2).join("/")),
        builtins: recorded,
      },
      parts,
    },
    diagnostics: [
      ...(posix.isAbsolute(home) ? [] : [fileDiagnostic("warning", projectDir, noHome)]),
      ...user.diagnostics,
      ...checkout.diagnostics,
      ...diagnostics,
    ],
  };
}

function isUsers({ layer }: SettingsSource): boolean {
  return layer === "user";
}

/** Limits the handlers of a checkout. The first one of each file that is skipped is reported (H5). */
function limitHandlers({ own, claude }: Layers): Layers {
  let left = MAX_HANDLERS;
  const limit = (source: SettingsSource): SettingsSource => {
    const { file, settings, isScript } = source;
    const hooks = settings.hooks.slice(0, isScript === true ? undefined : left);
    if (isScript !== true) left -= hooks.length;
    const skipped = settings.hooks[hooks.length];
    if (skipped === undefined) return source;
    const { line, column, event } = skipped;
    const message = `all files of a checkout together may have at most ${MAX_HANDLERS} handlers; this one and all after it are skipped`;
    const place = { line, column, keyPath: `hooks.${event}` };
    const problem = { ...fileDiagnostic("error", file, message), ...place };
    const diagnostics = [...settings.diagnostics, problem];
    return { ...source, settings: { ...settings, hooks, diagnostics } };
  };
  return { own: own.map(limit), claude: claude.map(limit) };
}
