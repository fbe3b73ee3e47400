/**
 * Reads the keys of Claude Code's settings that enable plugins, name local marketplaces (H38) and restrict hooks (H39).
 * An invalid restriction counts as the strictest one.
 */
import { objectOf } from "@/common/json";
import { MAX_PLUGINS } from "@/common/limits";
import type { SourcePlace } from "@/common/source/SourceFile";
import type { SourceNode } from "@/common/source/SourceNode";

export interface PluginSwitch extends SourcePlace {
  readonly isOn: boolean;
}

export interface ClaudeKeys {
  /** `enabledPlugins`, by the ID of the plugin. */
  readonly plugins: ReadonlyMap<string, PluginSwitch>;
  /** The folders of `extraKnownMarketplaces` that are local, as in the file, by the name of the marketplace. */
  readonly marketplaces: ReadonlyMap<string, string>;
  /** `allowManagedHooksOnly`, which only counts in managed settings. */
  readonly isManagedOnly: boolean;
  /** `allowedHttpHookUrls`; absent: no restriction. */
  readonly urls: readonly string[] | undefined;
  /** `httpHookAllowedEnvVars`; absent: no restriction. */
  readonly envVars: readonly string[] | undefined;
}

const MAX_NAME_CHARS = 100;
const NAME = new RegExp(String.raw`^[\w.-]{1,${MAX_NAME_CHARS}}$`);

export interface PluginName {
  readonly plugin: string;
  readonly marketplace: string;
}

/** Returns the name of a plugin and that of its marketplace, or undefined if the text is not an ID. */
export function parsePluginId(id: string): PluginName | undefined {
  const [plugin = "", marketplace = "", ...more] = id.split("@", 3);
  const isId = more.length === 0 && NAME.test(plugin) && NAME.test(marketplace);
  return isId ? { plugin, marketplace } : undefined;
}

/**
 * Returns the keys of a file, or undefined if it has none. Entries of another form are ignored, as unknown keys are, but
 * a restriction of another form is the strictest one, so that a mistake in it allows nothing.
 */
export function readClaudeKeys(root: SourceNode): ClaudeKeys | undefined {
  const plugins = new Map<string, PluginSwitch>();
  for (const node of entriesOf(root, "enabledPlugins")) {
    // A list of versions, which some versions of Claude Code write, enables the plugin too.
    const isSwitch = node.kind === "list" || typeof node.value === "boolean";
    if (!isSwitch || parsePluginId(node.key) === undefined) continue;
    plugins.set(node.key, { isOn: node.value !== false, ...node.place });
  }
  const marketplaces = new Map<string, string>();
  for (const node of entriesOf(root, "extraKnownMarketplaces")) {
    const folder = localFolder(node.child("source")?.toPlain());
    if (folder !== undefined && NAME.test(node.key)) marketplaces.set(node.key, folder);
  }
  const isManagedOnly = (root.child("allowManagedHooksOnly")?.toPlain() ?? false) !== false;
  const [urls, envVars] = [readTexts(root, URLS_KEY), readTexts(root, ENV_VARS_KEY)];
  const isSet = plugins.size + marketplaces.size > 0 || isManagedOnly;
  if (!isSet && urls === undefined && envVars === undefined) return undefined;
  return { plugins, marketplaces, isManagedOnly, urls, envVars };
}

export const URLS_KEY = "allowedHttpHookUrls";
export const ENV_VARS_KEY = "httpHookAllowedEnvVars";

function readTexts(root: SourceNode, key: string): readonly string[] | undefined {
  const value = root.child(key)?.toPlain() ?? undefined;
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/**
 * Returns the folder of a marketplace's `source` if it is local: a folder, or the marketplace.json in one. Other sources
 * would have to be downloaded.
 */
export function localFolder(source: unknown): string | undefined {
  const { source: kind, path } = objectOf(source);
  if (typeof path !== "string" || path === "" || path.includes("\0")) return undefined;
  if (kind === "directory") return path;
  return kind === "file" ? (CATALOG.exec(path)?.[1] ?? undefined) : undefined;
}

const CATALOG = /^(.*)\/\.claude-plugin\/marketplace\.json$/;

function entriesOf(root: SourceNode, key: string): readonly SourceNode[] {
  const node = root.child(key);
  return node?.kind === "mapping" ? node.children.slice(0, MAX_PLUGINS) : [];
}
