/** Finds and changes handlers in the text of a settings file, for any event and any program's format. */
import { isJsonObject, type JsonObject } from "@/common/json";
import type { SourceNode } from "@/common/source/SourceNode";
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

/** Returns the handlers with a command, in the order of the file. A text that does not parse has none. */
export function listHandlers(
  source: string,
  event: string,
  format = GROUPED_HOOKS
): readonly FileHandler[] {
  return nodesOf(source, event, format).flatMap((node) => {
    const command = node.child(format.commandKey)?.value;
    const fields = node.toPlain();
    if (typeof command !== "string" || !isJsonObject(fields)) return [];
    return [{ line: node.place.line, command, fields }];
  });
}

/** Replaces values of handlers and keeps all other text. `replace` returns the new values of fields that exist. */
export function replaceFields(
  source: string,
  event: string,
  replace: (fields: JsonObject) => JsonObject | undefined,
  format = GROUPED_HOOKS
): string {
  const mark = source.startsWith("\uFEFF") ? 1 : 0;
  const spans = nodesOf(source, event, format).flatMap((node) => {
    const fields = node.toPlain();
    const changed = Object.entries((isJsonObject(fields) ? replace(fields) : undefined) ?? {});
    return changed.flatMap(([name, value]) => {
      const field = node.child(name);
      return field === undefined || field.value === value ? [] : [{ ...field.span, value }];
    });
  });
  // From the end, so that the offsets of the other values stay valid.
  return spans
    .sort((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, value }) =>
        text.slice(0, mark + start) + JSON.stringify(value) + text.slice(mark + end),
      source
    );
}

function nodesOf(source: string, event: string, format: HookFormat): readonly SourceNode[] {
  return handlerNodes(parseJsonc("", source).unwrapOr(undefined), event, format);
}
