/** The definitions of hooks in a form that can be stored, compared and shown, which the user trusts (H31). */
import type { JsonObject } from "@/common/json";
import { canonicalJson } from "@/node/services/hooks/contract/hookIdentity";
import { ENV_VARS_KEY, URLS_KEY } from "@/node/services/hooks/settings/claude/claudeKeys";
import type { ParsedSettings } from "@/node/services/hooks/settings/parseFile";
import { HOOK_EVENTS } from "@/node/services/hooks/contract/types";

/** The content of a file in JSON: text, or base64 if it is not UTF-8. */
export type RecordedContent = string | { base64: string };

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
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}

export function decodeContent(content: RecordedContent): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64");
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

export function isNothing(definitions: Definitions): boolean {
  return filesOf(definitions).size === 0;
}

export function areEqual(a: Definitions, b: Definitions): boolean {
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
  const rest = names.length - MAX_NAMED;
  const named = names.slice(0, MAX_NAMED).join(", ");
  return rest > 0 ? `${named} and ${rest} more` : named;
}
