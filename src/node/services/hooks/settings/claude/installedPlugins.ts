/**
 * Reads Claude Code's lists of installed plugins and of marketplaces. Source of the formats:
 * https://code.claude.com/docs/en/plugins/loading, and the files that Claude Code 2.0 and 2.1 write.
 */
import { posix } from "node:path";
import { isJsonObject, type JsonObject } from "@/common/json";
import { localFolder } from "@/node/services/hooks/settings/claude/claudeKeys";

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
