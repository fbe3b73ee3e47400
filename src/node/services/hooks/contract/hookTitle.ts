import { clip, sliceWhole } from "@/common/text";
import { TITLE_CHARS } from "@/common/limits";
import type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";

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
  if (title.length <= TITLE_CHARS || handler.type !== "command") return clip(title, TITLE_CHARS);
  if (handler.args?.length === 0) {
    return `…${sliceWhole(title, title.length - TITLE_CHARS + 1, title.length)}`;
  }
  const script = findScript(title);
  if (script === undefined || script.end < TITLE_CHARS) return clip(title, TITLE_CHARS);
  return `${sliceWhole(title, 0, TITLE_CHARS - script.name.length)}${script.name}`;
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

/** Removes the user name, the password and the query of a URL, because titles are in records, in the chat and in reasons. */
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
