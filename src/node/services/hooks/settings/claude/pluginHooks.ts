/** Reads the hooks of one plugin: `hooks/hooks.json`, and `hooks` in its manifest (H38). */
import { posix } from "node:path";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { isJsonObject } from "@/common/json";
import { MAX_PLUGIN_HOOK_FILES } from "@/common/limits";
import { clip, visible } from "@/common/text";
import {
  isWithin,
  type CheckoutBudget,
  type MachineView,
} from "@/node/services/hooks/settings/workspace";
import { claudeSettings } from "@/node/services/hooks/settings/claude/claudeSettings";
import { readDocument, versionOf } from "@/node/services/hooks/settings/claude/installedPlugins";
import type { SettingsSource } from "@/node/services/hooks/settings/mergeLayers";
import {
  EMPTY_SETTINGS,
  parseSettings,
  type ParsedSettings,
} from "@/node/services/hooks/settings/parseFile";
import { findFiles, type FoundFile } from "@/node/services/hooks/settings/paths";
import { readSettings } from "@/node/services/hooks/settings/readFile";

/** The hooks of a plugin, one source per file. */
export interface PluginHooks {
  readonly version: string;
  readonly files: readonly Pick<SettingsSource, "file" | "settings">[];
}

const DEFAULT_FILE = posix.join("hooks", "hooks.json");
const MANIFEST = posix.join(".claude-plugin", "plugin.json");
const MAX_SHOWN_CHARS = 200;

/** Reads the hooks of the plugin in a folder. A file that cannot be used is reported in the diagnostics of its source. */
export async function readPluginHooks(
  view: MachineView,
  root: string,
  budget?: CheckoutBudget
): Promise<PluginHooks> {
  const readFile = async (found: FoundFile) => ({
    file: found.path,
    settings: claudeSettings(await readSettings(view, found, budget)),
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
  const inline: ParsedSettings[] = [];
  for (const entry of entries) {
    if (isJsonObject(entry)) inline.push(parseInline(manifest.path, entry));
    else if (typeof entry !== "string")
      report("expected an object with hooks, the path of a file, or a list of both");
    else if (!isWithin(posix.join(root, entry), root))
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
    files.push({ file: manifest.path, settings: { ...EMPTY_SETTINGS, diagnostics } });
  }
  return { version: versionOf(version), files };
}

/** The settings of objects in lists. The documents with the objects are cached, so each is parsed once. */
const parsedObjects = new WeakMap<object, ParsedSettings>();

/** Parses an object of a list. Its positions are lost, so every hook gets line 1 and column 1. */
function parseInline(manifest: string, hooks: object): ParsedSettings {
  const known = parsedObjects.get(hooks);
  if (known !== undefined) return known;
  const parsed = parseSettings(manifest, JSON.stringify({ hooks })).unwrapOr(EMPTY_SETTINGS);
  const start = { line: 1, column: 1 };
  const settings = claudeSettings({
    ...parsed,
    hooks: parsed.hooks.map((hook) => ({ ...hook, ...start })),
    diagnostics: parsed.diagnostics.map((diagnostic) => ({ ...diagnostic, ...start })),
  });
  parsedObjects.set(hooks, settings);
  return settings;
}
