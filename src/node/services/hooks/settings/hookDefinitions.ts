/**
 * The content of all files that define hooks, in a form that can be trusted, stored, compared and shown (H31). Also
 * records the files that a built-in hook reads.
 */
import { firstNames, strictText } from "@/common/safeText";
import type { JsonObject } from "@/common/json";
import { canonicalJson } from "@/node/services/hooks/contract/hookFacts";
import { ENV_VARS_KEY, URLS_KEY } from "@/node/services/hooks/settings/claude/readClaudeKeys";
import type { ParsedSettings } from "@/node/services/hooks/settings/parseSettings";
import { type BuiltinInputs, HOOK_EVENTS } from "@/node/services/hooks/contract/types";
import { posix } from "node:path";
import type { RecordedContent } from "@/node/runtime/fileContents";
import type {
  BuiltinHooks,
  InspectCheckout,
  ReadableFiles,
} from "@/node/services/hooks/contract/builtinRegistry";

export type { RecordedContent };

/** The files that define hooks, of a checkout or of the user. */
export interface Definitions {
  /** Settings files by name (`.mux/settings.json`), reduced to what counts for hooks. */
  settings: Record<string, string>;
  /** Script hooks by name (`.mux/stop`). */
  scripts: Record<string, RecordedContent>;
  /** Files of the checkout that configure a built-in hook, by the name of the hook. */
  builtins: Record<string, { dir: string; files: Record<string, RecordedContent> }>;
  /** Plugins of Claude Code by ID, reduced to what counts for hooks; absent if there are none. */
  plugins?: Record<string, string> | undefined;
}

export const NO_DEFINITIONS: Definitions = { settings: {}, scripts: {}, builtins: {} };

export function encodeContent(bytes: Uint8Array): RecordedContent {
  return strictText(bytes) ?? { base64: Buffer.from(bytes).toString("base64") };
}

/** Returns the content of a settings file that has only these hooks and switches. */
export function reduceSettings({ hooks, values, claude }: ParsedSettings): JsonObject {
  const groups = HOOK_EVENTS.flatMap((event) => {
    const list = hooks
      .filter((hook) => hook.event === event)
      .map(({ matcher, handler }) => ({ matcher, hooks: [handler] }));
    return list.length === 0 ? [] : [[event, list] as const];
  });
  const settings: JsonObject = {
    hooks: groups.length === 0 ? undefined : Object.fromEntries(groups),
  };
  for (const [path, value] of Object.entries(values)) {
    const [top = "", name] = path.split(".");
    settings[top] = name === undefined ? value : { ...(settings[top] as object), [name]: value };
  }
  settings[URLS_KEY] = claude?.urls;
  settings[ENV_VARS_KEY] = claude?.envVars;
  return settings;
}

/** Returns whether a settings file has a hook or sets a value that counts for hooks. */
export function definesAnything({ hooks, values, claude }: ParsedSettings): boolean {
  const isRestricting = (claude?.urls ?? claude?.envVars) !== undefined;
  return hooks.length > 0 || Object.keys(values).length > 0 || isRestricting;
}

/** Returns whether no file defines anything. */
export function isNothing(definitions: Definitions): boolean {
  return filesOf(definitions).size === 0;
}

export function sameDefinitions(a: Definitions, b: Definitions): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

/** Returns the content of every file, by its name. */
export function filesOf(definitions: Definitions): ReadonlyMap<string, RecordedContent> {
  const { settings, scripts, builtins, plugins = {} } = definitions;
  const configured = Object.values(builtins).flatMap(({ dir, files }) =>
    Object.entries(files).map(
      ([path, content]) => [dir === "" ? path : `${dir}/${path}`, content] as const
    )
  );
  const ofPlugins = Object.entries(plugins).map(([id, text]) => [`plugin ${id}`, text] as const);
  return new Map([
    ...Object.entries(settings),
    ...Object.entries(scripts),
    ...configured,
    ...ofPlugins,
  ]);
}

/** Returns the names of the files that only one of the definitions has, or whose content differs. */
export function changedFiles(a: Definitions, b: Definitions): string[] {
  const [before, after] = [filesOf(a), filesOf(b)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.filter(
    (name) => canonicalJson(before.get(name) ?? null) !== canonicalJson(after.get(name) ?? null)
  );
}

const MAX_NAMED = 5;

/** Returns a list such as `a, b, c, d, e and 2 more`. */
export function listFiles(names: readonly string[]): string {
  return firstNames(names, MAX_NAMED);
}

/** Parts by the name of the built-in handler; undefined for a handler that has no part in the checkout. */
export type CheckoutParts = ReadonlyMap<string, BuiltinInputs | undefined>;

type RecordedParts = Definitions["builtins"];
type RecordedFiles = RecordedParts[string]["files"];

/** Calls `look` for each built-in hook that has an inspector, and returns the parts of the checkout that they run. */
export async function inspectParts(
  builtins: BuiltinHooks,
  look: (name: string, inspect: InspectCheckout) => ReturnType<InspectCheckout>
): Promise<CheckoutParts> {
  const parts = new Map<string, BuiltinInputs | undefined>();
  for (const [name, inspect] of builtins.inspectors) parts.set(name, await look(name, inspect));
  return parts;
}

/** Inspects the checkout as it is now, and records every file that was read for that. */
export async function readParts(
  builtins: BuiltinHooks,
  files: ReadableFiles,
  projectDir: string
): Promise<{ parts: CheckoutParts; recorded: RecordedParts }> {
  const recorded: RecordedParts = {};
  const parts = await inspectParts(builtins, async (name, inspect) => {
    const recorder = new ReadRecorder(files);
    const part = await inspect(recorder, projectDir);
    if (part !== undefined) {
      const dir = posix.relative(projectDir, part.dir);
      recorded[name] = { dir, files: recorder.below(part.dir) };
    }
    return part;
  });
  return { parts, recorded };
}

/** Remembers the content of every file that is read. */
export class ReadRecorder implements ReadableFiles {
  readonly #read = new Map<string, Uint8Array>();

  constructor(private readonly files: ReadableFiles) {}

  readonly stat: ReadableFiles["stat"] = (paths) => this.files.stat(paths);
  readonly list: ReadableFiles["list"] = (path) => this.files.list(path);

  readonly readFile: ReadableFiles["readFile"] = async (path, options) => {
    const read = await this.files.readFile(path, options);
    if (read.isOk()) this.#read.set(path, read.value);
    return read;
  };

  /** Returns the content of the files in a folder, by path relative to it. */
  below(dir: string): RecordedFiles {
    const files = [...this.#read].map(
      ([path, bytes]) => [posix.relative(dir, path), encodeContent(bytes)] as const
    );
    return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
