/**
 * Reads Claude Code's lists of installed plugins and of marketplaces. Source of the formats:
 * https://code.claude.com/docs/en/plugins/loading, and the files that Claude Code 2.0 and 2.1 write.
 */
import { posix } from "node:path";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { localFolder, type PluginName } from "@/node/services/hooks/settings/claude/claudeKeys";
import { err, ok, type Result } from "neverthrow";
import { visible } from "@/common/text";
import {
  isWithin,
  type CheckoutBudget,
  type MachineView,
} from "@/node/services/hooks/settings/workspace";
import { MAX_PLUGIN_LIST_BYTES, MIB } from "@/common/limits";
import { notFile, notReadable } from "@/node/services/hooks/messages/shared";

/** One installation of a plugin. */
export interface Installation {
  /** Absolute. */
  readonly path: string;
  readonly version: string;
  /** The project that it was installed for; absent if it was installed for the user. */
  readonly projectPath?: string;
}

/** Installations by the ID of the plugin. `unknown`: the file has a version that this program does not know. */
export type InstalledPlugins =
  | { readonly unknown: string }
  | { readonly of: (id: string) => readonly Installation[] };

const MAX_PATH_CHARS = 4_096;
const MAX_VERSION_CHARS = 200;

/** Reads `installed_plugins.json`. Version 1 has one installation per plugin, version 2 a list. */
export function parseInstalled(value: unknown): InstalledPlugins {
  if (value === undefined) return { of: () => [] };
  const { version, plugins } = isJsonObject(value) ? value : ({} as JsonObject);
  if ((version !== 1 && version !== 2) || !isJsonObject(plugins)) {
    return { unknown: version === undefined ? "none" : JSON.stringify(version) };
  }
  return {
    of: (id) => {
      const entry = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
      const list: readonly unknown[] = version === 2 && Array.isArray(entry) ? entry : [entry];
      return list.flatMap(readInstallation);
    },
  };
}

/** Returns the installation for one of the project's folders, otherwise the one for the user. */
export function chooseInstallation(
  installations: readonly Installation[],
  projectDirs: readonly string[]
): Installation | undefined {
  return (
    installations.find(({ projectPath = "" }) => projectDirs.includes(projectPath)) ??
    installations.find(({ projectPath }) => projectPath === undefined)
  );
}

/** Reads `known_marketplaces.json`: the absolute folders of local marketplaces, by name. */
export function parseMarketplaces(value: unknown): (name: string) => string | undefined {
  return (name) => {
    const entry = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    const folder = isJsonObject(entry) ? localFolder(entry.source) : undefined;
    return folder !== undefined && posix.isAbsolute(folder) ? folder : undefined;
  };
}

function readInstallation(entry: unknown): Installation[] {
  if (!isJsonObject(entry)) return [];
  const { installPath, version, scope, projectPath } = entry;
  if (typeof installPath !== "string" || !isUsable(installPath)) return [];
  const isForProject = scope === "project" || scope === "local";
  return [
    {
      path: posix.normalize(installPath),
      version: versionOf(version),
      ...(isForProject ? { projectPath: typeof projectPath === "string" ? projectPath : "" } : {}),
    },
  ];
}

/** Returns a version as text, or an empty text if it is not one. */
export function versionOf(version: unknown): string {
  return typeof version === "string" ? version.slice(0, MAX_VERSION_CHARS) : "";
}

function isUsable(path: string): boolean {
  return posix.isAbsolute(path) && path.length <= MAX_PATH_CHARS && !path.includes("\0");
}

/** Returns the folder of a plugin within that of its marketplace. An error is for the user. */
export async function findInMarketplace(
  view: MachineView,
  folder: string,
  { plugin, marketplace }: PluginName,
  budget?: CheckoutBudget
): Promise<Result<Installation, string>> {
  const path = posix.join(folder, ".claude-plugin", "marketplace.json");
  const id = `${plugin}@${marketplace}`;
  const catalog = await readDocument(view, path, budget);
  if (catalog.isErr())
    return err(
      `the hooks of the plugin ${id} do not run, because ${visible(path)} cannot be used: ${catalog.error}`
    );
  const found = findEntry(catalog.value, folder, plugin);
  return found === undefined
    ? err(
        `the hooks of the plugin ${id} do not run, because its marketplace ${visible(folder)} does not have it; add it there, or remove it from "enabledPlugins"`
      )
    : ok(found);
}

function findEntry(value: unknown, folder: string, plugin: string): Installation | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.plugins)) return undefined;
  const entry = (value.plugins as readonly unknown[]).find(
    (each) => isJsonObject(each) && each.name === plugin
  );
  if (!isJsonObject(entry) || typeof entry.source !== "string") return undefined;
  const base = isJsonObject(value.metadata) ? value.metadata.pluginRoot : undefined;
  // A bare name is below `metadata.pluginRoot`.
  const isBare = !entry.source.includes("/") && typeof base === "string";
  const path = posix.join(folder, isBare ? base : "", entry.source).replace(/(.)\/$/, "$1");
  if (!isWithin(path, posix.normalize(folder)) || path.includes("\0")) return undefined;
  return { path, version: versionOf(entry.version) };
}

/** Returns the value of a file, undefined if the file is missing, or the reason why it cannot be used. */
export async function readDocument(
  { files, stats, memory }: MachineView,
  path: string,
  budget?: CheckoutBudget
): Promise<Result<unknown, string>> {
  const [stat] = await stats.stat([path]);
  if (stat === undefined || stat.kind === "missing") {
    memory.documents.forget(path);
    return ok(undefined);
  }
  if (stat.kind === "failed") return err(notReadable(stat.failure.message));
  if (stat.kind !== "file") return err(notFile(stat.kind === "directory"));
  const tooLarge = `larger than ${MAX_PLUGIN_LIST_BYTES / MIB} MiB, so it is not read`;
  if (stat.size > MAX_PLUGIN_LIST_BYTES) return err(tooLarge);
  const refusal = budget?.refuse(path, stat.size);
  if (refusal !== undefined) return err(refusal);
  const cached = await memory.documents.get(path, stat, async () => {
    const read = await files.readFile(path, { maxBytes: MAX_PLUGIN_LIST_BYTES + 1 });
    if (read.isErr()) return err(notReadable(read.error.message));
    if (read.value.length > MAX_PLUGIN_LIST_BYTES) return err(tooLarge);
    // A text that does not parse is kept as well, since parsing it takes the same time again.
    return ok(parseJson(new TextDecoder().decode(read.value).replace(/^\uFEFF/, "")));
  });
  return cached.andThen((parsed) => parsed);
}
