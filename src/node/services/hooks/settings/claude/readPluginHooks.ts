/**
 * Finds the folder of a plugin in Claude Code's lists of plugins and marketplaces, and reads the hooks in it (H38);
 * `enabledPlugins.ts` selects the plugins. Source of the formats: https://code.claude.com/docs/en/plugins/loading, and
 * the files that Claude Code 2.0 and 2.1 write.
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { isJsonObject, objectOf, parseJson } from "@/common/json";
import { MAX_PLUGIN_HOOK_FILES, MAX_PLUGIN_LIST_BYTES, MIB } from "@/common/limits";
import { clip, visible } from "@/common/safeText";
import * as plugins from "@/node/services/hooks/settings/claude/readClaudeKeys";
import * as settingsFiles from "@/node/services/hooks/settings/readHookFiles";
import * as workspaces from "@/node/services/hooks/settings/cachedReads";
import { type Diagnostic, fileDiagnostic } from "@/common/diagnostics";
import { claudeSettings } from "@/node/services/hooks/settings/claude/filterSettings";
import * as parsing from "@/node/services/hooks/settings/parseSettings";
import { findFiles, type FoundFile } from "@/node/services/hooks/settings/findFiles";

/** One installation of a plugin. */
export interface Installation {
  /** Absolute. */
  readonly path: string;
  readonly version: string;
  /** The project that it was installed for; absent if it was installed for the user. */
  readonly projectPath?: string;
}

const MAX_PATH_CHARS = 4_096;
const MAX_VERSION_CHARS = 200;

/** Returns the version of `installed_plugins.json` if this program does not know it. */
export function unknownVersion(list: unknown): string | undefined {
  const { version, plugins } = objectOf(list);
  const isKnown = (version === 1 || version === 2) && isJsonObject(plugins);
  if (isKnown || list === undefined) return undefined;
  return version === undefined ? "none" : JSON.stringify(version);
}

/**
 * Returns the installation of a plugin for one of the project's folders, otherwise the one for the user. Version 1 of the
 * list has one installation per plugin, version 2 a list.
 */
export function findInstallation(
  list: unknown,
  id: string,
  projectDirs: readonly string[]
): Installation | undefined {
  const { version, plugins } = objectOf(list);
  const entry = isJsonObject(plugins) && Object.hasOwn(plugins, id) ? plugins[id] : undefined;
  const entries: readonly unknown[] = version === 2 && Array.isArray(entry) ? entry : [entry];
  const found = entries.flatMap((each): Installation[] => {
    if (!isJsonObject(each) || typeof each.installPath !== "string") return [];
    const { installPath: path, scope, projectPath = "" } = each;
    if (!posix.isAbsolute(path) || path.length > MAX_PATH_CHARS || path.includes("\0")) return [];
    const isForProject = scope === "project" || scope === "local";
    return [
      {
        path: posix.normalize(path),
        version: versionOf(each.version),
        projectPath: !isForProject ? undefined : typeof projectPath === "string" ? projectPath : "",
      },
    ];
  });
  return (
    found.find(({ projectPath = "" }) => projectDirs.includes(projectPath)) ??
    found.find(({ projectPath }) => projectPath === undefined)
  );
}

/** Returns the absolute folder of a local marketplace in `known_marketplaces.json`. */
export function findMarketplace(list: unknown, name: string): string | undefined {
  const entry = isJsonObject(list) && Object.hasOwn(list, name) ? list[name] : undefined;
  const folder = isJsonObject(entry) ? plugins.localFolder(entry.source) : undefined;
  return folder !== undefined && posix.isAbsolute(folder) ? folder : undefined;
}

/** Returns a version as text, or an empty text if it is not one. */
function versionOf(version: unknown): string {
  return typeof version === "string" ? version.slice(0, MAX_VERSION_CHARS) : "";
}

/** Returns the folder of a plugin within that of its marketplace. An error is for the user. */
export async function findInMarketplace(
  view: workspaces.MachineView,
  folder: string,
  { plugin, marketplace }: plugins.PluginName,
  budget?: workspaces.CheckoutBudget
): Promise<Result<Installation, string>> {
  const path = posix.join(folder, ".claude-plugin", "marketplace.json");
  const notRun = `the hooks of the plugin ${plugin}@${marketplace} do not run, because`;
  const catalog = await readDocument(view, path, budget);
  if (catalog.isErr()) return err(`${notRun} ${visible(path)} cannot be used: ${catalog.error}`);
  const found = findEntry(catalog.value, folder, plugin);
  return found === undefined
    ? err(
        `${notRun} its marketplace ${visible(folder)} does not have it; add it there, or remove it from "enabledPlugins"`
      )
    : ok(found);
}

function findEntry(value: unknown, folder: string, plugin: string): Installation | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.plugins)) return undefined;
  const entry = value.plugins.filter(isJsonObject).find(({ name }) => name === plugin);
  if (typeof entry?.source !== "string") return undefined;
  const base = isJsonObject(value.metadata) ? value.metadata.pluginRoot : undefined;
  // A bare name is below `metadata.pluginRoot`.
  const isBare = !entry.source.includes("/") && typeof base === "string";
  const path = posix.join(folder, isBare ? base : "", entry.source).replace(/(.)\/$/, "$1");
  if (!workspaces.isWithin(path, posix.normalize(folder)) || path.includes("\0")) return undefined;
  return { path, version: versionOf(entry.version) };
}

/**
 * Reads a JSON file of Claude Code that is not a settings file, only if it has changed. Returns its value, undefined if
 * the file is missing, or the reason why it cannot be used.
 */
export async function readDocument(
  view: workspaces.MachineView,
  path: string,
  budget?: workspaces.CheckoutBudget
): Promise<Result<unknown, string>> {
  const { documents } = view.memory;
  const [stat] = await view.stats.stat([path]);
  if (stat === undefined || stat.kind === "missing") {
    documents.forget(path);
    return ok(undefined);
  }
  const tooLarge = `larger than ${MAX_PLUGIN_LIST_BYTES / MIB} MiB, so it is not read`;
  const limit = { maxBytes: MAX_PLUGIN_LIST_BYTES, tooLarge, budget };
  // A text that does not parse is kept as well, since parsing it takes the same time again.
  const read = await settingsFiles.readChanged(view, documents, { path, stat }, limit, (text) =>
    parseJson(text.replace(/^\uFEFF/, ""))
  );
  return read.andThen((parsed) => parsed);
}

/** The hooks of a plugin, one source per file. */
export interface PluginHooks {
  readonly version: string;
  readonly files: readonly Pick<settingsFiles.SettingsSource, "file" | "settings">[];
}

const DEFAULT_FILE = posix.join("hooks", "hooks.json");
const MANIFEST = posix.join(".claude-plugin", "plugin.json");
const MAX_SHOWN_CHARS = 200;

/** Reads the hooks of the plugin in a folder. The diagnostics of a source report a file that cannot be used. */
export async function readPluginHooks(
  view: workspaces.MachineView,
  root: string,
  budget?: workspaces.CheckoutBudget
): Promise<PluginHooks> {
  const readFile = async (found: FoundFile) => ({
    file: found.path,
    settings: claudeSettings(await settingsFiles.readSettings(view, found, budget)),
  });
  const [own, manifest] = await findFiles(view, [
    posix.join(root, DEFAULT_FILE),
    posix.join(root, MANIFEST),
  ]);
  const files: PluginHooks["files"][number][] = own === undefined ? [] : [await readFile(own)];
  if (manifest === undefined) return { version: "", files };
  const document = await readDocument(view, manifest.path, budget);
  const { version, hooks } =
    document.isOk() && isJsonObject(document.value) ? document.value : { version: "", hooks: {} };
  if (isJsonObject(hooks) || hooks === undefined) {
    files.push(await readFile(manifest));
    return { version: versionOf(version), files };
  }

  // The paths and the objects of a list. A single path is a list of one.
  const entries: readonly unknown[] = Array.isArray(hooks)
    ? hooks.slice(0, MAX_PLUGIN_HOOK_FILES)
    : [hooks];
  const diagnostics: Diagnostic[] = [];
  const report = (message: string): void => {
    diagnostics.push({ ...fileDiagnostic("error", manifest.path, message), keyPath: "hooks" });
  };
  const shown = (path: string) => visible(JSON.stringify(clip(path, MAX_SHOWN_CHARS)));
  const paths = new Set<string>();
  const inline: parsing.ParsedSettings[] = [];
  for (const entry of entries) {
    if (isJsonObject(entry)) inline.push(parseInline(manifest.path, entry));
    else if (typeof entry !== "string")
      report("expected an object with hooks, the path of a file, or a list of both");
    else if (!workspaces.isWithin(posix.join(root, entry), root))
      report(`${shown(entry)} leads out of the folder of the plugin, so its hooks are not read`);
    // The default file is read in any case.
    else if (posix.normalize(entry) !== DEFAULT_FILE) paths.add(entry);
  }
  const names = [...paths];
  const found = await findFiles(
    view,
    names.map((name) => posix.join(root, name))
  );
  const read = found.map(async (file, i) => {
    if (file !== undefined) return [await readFile(file)];
    report(`${shown(names[i] ?? "")} does not exist, so its hooks are not read`);
    return [];
  });
  files.push(...(await Promise.all(read)).flat());
  files.push(...inline.map((settings) => ({ file: manifest.path, settings })));
  if (diagnostics.length > 0) {
    files.push({ file: manifest.path, settings: { ...parsing.EMPTY_SETTINGS, diagnostics } });
  }
  return { version: versionOf(version), files };
}

/** The settings of objects in lists. The documents with the objects are cached, so each is parsed once. */
const parsedObjects = new WeakMap<object, parsing.ParsedSettings>();

/** Parses an object of a list. Its positions are lost, so every hook gets line 1 and column 1. */
function parseInline(manifest: string, hooks: object): parsing.ParsedSettings {
  const known = parsedObjects.get(hooks);
  if (known !== undefined) return known;
  const parsed = parsing
    .parseSettings(manifest, JSON.stringify({ hooks }))
    .unwrapOr(parsing.EMPTY_SETTINGS);
  const start = { line: 1, column: 1 };
  const settings = claudeSettings({
    ...parsed,
    hooks: parsed.hooks.map((hook) => ({ ...hook, ...start })),
    diagnostics: parsed.diagnostics.map((diagnostic) => ({ ...diagnostic, ...start })),
  });
  parsedObjects.set(hooks, settings);
  return settings;
}
