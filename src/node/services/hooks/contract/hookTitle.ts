import { clip, sliceWhole } from "@/common/text";
import { TITLE_CHARS } from "@/common/limits";
import type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";

/**
 * Returns a handler's title on one line: the beginning of its command line, URL, prompt or name, or the end of a long
 * program path (H12).
 */
export function hookTitle(handler: HookHandler): string {
  const title = describeHandler(handler).replaceAll(/\s+/g, " ").trim();
  const isLongPath =
    handler.type === "command" && handler.args?.length === 0 && title.length > TITLE_CHARS;
  return isLongPath
    ? `…${sliceWhole(title, title.length - TITLE_CHARS + 1, title.length)}`
    : clip(title, TITLE_CHARS);
}

function describeHandler(handler: HookHandler): string {
  switch (handler.type) {
    case "command":
      return [handler.command, ...(handler.args ?? [])].join(" ");
    case "http":
      // Without a user name and a password, because titles are in records and in the chat.
      return handler.url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, "$1");
    case "prompt":
      return handler.prompt;
    case "builtin":
      return handler.name;
  }
}
