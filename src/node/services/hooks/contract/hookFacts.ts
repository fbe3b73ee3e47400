/**
 * Derives facts from the settings of a hook: its title, in which URLs have no secrets (H12), its identity, by which
 * repeated hooks are joined (H3), its time limit, and whether it runs in the background or never. Also has
 * `canonicalJson`, a text by which values are compared.
 */
import { clip, sliceWhole } from "@/common/safeText";
import * as limits from "@/common/limits";
import type { ConfiguredHook, HookHandler } from "@/node/services/hooks/contract/types";
import { isJsonObject } from "@/common/json";

/** Maximum length of a script's name in a title. */
const MAX_NAME_CHARS = 40;
/** A longer command is not searched for the name of its script. */
const MAX_SEARCHED_CHARS = 4_096;
/** A word of a command line, with its quotes. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;

/**
 * Returns a handler's title on one line: the beginning of its command line, URL, prompt or name, or the end of a long
 * program path. The name of the script is in the title, even if the path before it is long (H12).
 */
export function hookTitle(handler: HookHandler): string {
  const title = describeHandler(handler).replaceAll(/\s+/g, " ").trim();
  if (title.length <= limits.TITLE_CHARS || handler.type !== "command")
    return clip(title, limits.TITLE_CHARS);
  if (handler.args?.length === 0) {
    return `…${sliceWhole(title, title.length - limits.TITLE_CHARS + 1, title.length)}`;
  }
  const script = findScript(title);
  if (script === undefined || script.end < limits.TITLE_CHARS)
    return clip(title, limits.TITLE_CHARS);
  return `${sliceWhole(title, 0, limits.TITLE_CHARS - script.name.length)}${script.name}`;
}

/** Returns the end of the path of the script that a command line runs, and the index after it. */
function findScript(line: string): { name: string; end: number } | undefined {
  const words = [...line.slice(0, MAX_SEARCHED_CHARS).matchAll(WORD)].filter(([word]) =>
    word.includes("/")
  );
  // An interpreter, such as `/usr/bin/python3`, may come before the script.
  const found = words.find(([word]) => nameOf(word).includes(".")) ?? words[0];
  if (found === undefined) return undefined;
  const name = nameOf(found[0]);
  const from = Math.max(0, name.length - MAX_NAME_CHARS);
  const shown = from === 0 ? `…/${name}` : `…${sliceWhole(name, from, name.length)}`;
  return { name: shown, end: found.index + found[0].length };
}

function nameOf(word: string): string {
  const path = word.replaceAll(/["']/g, "");
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Removes user name, password and query from a URL, because titles are in records, in the chat and in reasons. */
export function withoutSecrets(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, "$1").replace(/[?#].*$/s, "?…");
}

function describeHandler(handler: HookHandler): string {
  switch (handler.type) {
    case "command":
      return [handler.command, ...(handler.args ?? [])].join(" ");
    case "http":
      return withoutSecrets(handler.url);
    case "prompt":
      return handler.prompt;
    case "builtin":
      return handler.name;
    case "unsupported":
      return typeof handler.prompt === "string" ? handler.prompt : handler.given;
  }
}

type IdentifiedHook = Pick<ConfiguredHook, "event" | "matcher" | "handler" | "plugin">;

/**
 * Returns a key that is equal for hooks that count as one: they have the same event, run the same thing, belong to the
 * same plugin or to none and, on SubagentStop, have the same matcher.
 */
export function identityOf({ event, matcher, handler, plugin }: IdentifiedHook): string {
  // Absent, empty and `*` all match every agent (H11).
  const scope = event === "Stop" ? "" : (matcher?.trim().replace(/^\*$/, "") ?? "");
  let runs = handlerKeys.get(handler);
  if (runs === undefined) {
    const defining =
      handler.type === "unsupported"
        ? [canonicalJson(handler)]
        : DEFINING[handler.type].map((key) => handler[key]);
    runs = JSON.stringify([handler.type, ...defining]);
    handlerKeys.set(handler, runs);
  }
  return JSON.stringify([event, scope, plugin?.id]) + runs;
}

/**
 * The cached part of the key that depends on the handler. A hook is identified several times in a load, and a clone can
 * have many long ones (H5).
 */
const handlerKeys = new WeakMap<HookHandler, string>();

/** The fields of a handler that define what it runs. */
const DEFINING = {
  command: ["command", "args", "shell"],
  http: ["url"],
  prompt: ["prompt"],
  builtin: ["name"],
} as const;

/** Returns the same text for the same value, regardless of the order of its keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part
  );
}

/** Returns the time limit in milliseconds. `defaultS` is `stopHooks.timeout`: the default for commands, in seconds. */
export function hookTimeoutMs(handler: HookHandler, defaultS: number | undefined): number {
  const seconds = handler.timeout ?? defaultTimeoutS(handler, defaultS);
  const most = isBackground(handler) ? limits.ASYNC_HOOK_TIMEOUT_S : limits.MAX_HOOK_TIMEOUT_S;
  return Math.min(seconds, most) * 1000;
}

/** Returns whether a handler runs in the background. */
export function isBackground(handler: HookHandler): boolean {
  return handler.type === "command" && (handler.async === true || handler.asyncRewake === true);
}

function defaultTimeoutS(handler: HookHandler, defaultS: number | undefined): number {
  if (handler.type === "builtin") return limits.BUILTIN_HOOK_TIMEOUT_S;
  if (handler.type === "prompt") return limits.PROMPT_HOOK_TIMEOUT_S;
  if (isBackground(handler)) return limits.ASYNC_HOOK_TIMEOUT_S;
  if (defaultS !== undefined && handler.type === "command") return defaultS;
  return handler.dialect === "claude"
    ? limits.CLAUDE_HOOK_TIMEOUT_S
    : limits.DEFAULT_HOOK_TIMEOUT_S;
}

/** Returns whether a handler's settings prevent it from ever running. */
export function isSwitchedOff(handler: HookHandler): boolean {
  return handler.enabled === false || handler.if !== undefined || handler.type === "unsupported";
}
