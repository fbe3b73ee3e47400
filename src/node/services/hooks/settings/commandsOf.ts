/** Finds and replaces command handlers in the text of a settings file, for any event and any program's format. */
import { isJsonObject, type JsonObject } from "@/common/json";
import type { Span } from "@/common/source/SourceFile";
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
export function listHandlers(source: string, event: string): readonly FileHandler[] {
  return locate(source, event);
}

/** Replaces commands and keeps all other text. `replace` returns the new command, or undefined to keep the old one. */
export function replaceCommands(
  source: string,
  event: string,
  replace: (handler: FileHandler) => string | undefined
): string {
  const mark = source.startsWith("\uFEFF") ? 1 : 0;
  // From the end, so that the offsets of the other commands stay valid.
  return locate(source, event).reduceRight((text, handler) => {
    const command = replace(handler);
    if (command === undefined) return text;
    const { start, end } = handler.commandSpan;
    return text.slice(0, mark + start) + JSON.stringify(command) + text.slice(mark + end);
  }, source);
}

function locate(source: string, event: string): Located[] {
  const root = parseJsonc("", source).unwrapOr(undefined);
  const groups = root?.child("hooks")?.child(event)?.items ?? [];
  const handlers = groups.flatMap((group) => group.child("hooks")?.items ?? []);
  return handlers.flatMap((node) => {
    const command = node.child("command");
    const fields = node.toPlain();
    if (typeof command?.value !== "string" || !isJsonObject(fields)) return [];
    const { line } = node.place;
    return [{ line, command: command.value, fields, commandSpan: command.span }];
  });
}
