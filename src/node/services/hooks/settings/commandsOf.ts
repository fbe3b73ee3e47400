/** Finds and replaces command handlers in the text of a settings file, for any event and any program's format. */
import { isJsonObject, type JsonObject } from "@/common/json";
import type { Span } from "@/common/source/SourceFile";
import {
  GROUPED_HOOKS,
  handlerNodes,
  type HookFormat,
} from "@/node/services/hooks/settings/hookFormat";
import { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";

export interface FileHandler {
  /** Line of the handler, counted from 1. */
  readonly line: number;
  readonly command: string;
  /** All fields as they are in the file. */
  readonly fields: JsonObject;
}

interface Located extends FileHandler {
  readonly commandSpan: Span;
}

/** Returns the handlers with a command, in the order of the file. A text that does not parse has none. */
export function listHandlers(
  source: string,
  event: string,
  format = GROUPED_HOOKS
): readonly FileHandler[] {
  return locate(source, event, format);
}

/** Replaces commands and keeps all other text. `replace` returns the new command, or undefined to keep the old one. */
export function replaceCommands(
  source: string,
  event: string,
  replace: (handler: FileHandler) => string | undefined,
  format = GROUPED_HOOKS
): string {
  const mark = source.startsWith("\uFEFF") ? 1 : 0;
  // From the end, so that the offsets of the other commands stay valid.
  return locate(source, event, format).reduceRight((text, handler) => {
    const command = replace(handler);
    if (command === undefined) return text;
    const { start, end } = handler.commandSpan;
    return text.slice(0, mark + start) + JSON.stringify(command) + text.slice(mark + end);
  }, source);
}

function locate(source: string, event: string, format: HookFormat): Located[] {
  const root = parseJsonc("", source).unwrapOr(undefined);
  return handlerNodes(root, event, format).flatMap((node) => {
    const command = node.child(format.commandKey);
    const fields = node.toPlain();
    if (typeof command?.value !== "string" || !isJsonObject(fields)) return [];
    const { line } = node.place;
    return [{ line, command: command.value, fields, commandSpan: command.span }];
  });
}
