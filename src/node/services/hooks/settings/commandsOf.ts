/** Finds and replaces command handlers in the text of a settings file, for any event and any program's format. */
import { getNodeValue, type Node } from "jsonc-parser";
import { isJsonObject, type JsonObject } from "@/common/json";
import { propertyOf, SettingsDocument } from "@/node/services/hooks/settings/jsoncDocument";

export interface FileHandler {
  /** Line of the handler, counted from 1. */
  readonly line: number;
  readonly command: string;
  /** All fields as they are in the file. */
  readonly fields: JsonObject;
}

interface Located extends FileHandler {
  readonly commandNode: Node;
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
    const from = mark + handler.commandNode.offset;
    return (
      text.slice(0, from) + JSON.stringify(command) + text.slice(from + handler.commandNode.length)
    );
  }, source);
}

function locate(source: string, event: string): Located[] {
  const parsed = SettingsDocument.parse(source);
  if (parsed.isErr()) return [];
  const document = parsed.value;
  const groups = valueOf(valueOf(document.root, "hooks"), event);
  return itemsOf(groups)
    .flatMap((group) => itemsOf(valueOf(group, "hooks")))
    .flatMap((node) => {
      const commandNode = valueOf(node, "command");
      const fields: unknown = getNodeValue(node);
      const command: unknown = commandNode?.value;
      if (commandNode === undefined || typeof command !== "string" || !isJsonObject(fields))
        return [];
      return [{ line: document.placeOf(node).line, command, fields, commandNode }];
    });
}

function valueOf(node: Node | undefined, key: string): Node | undefined {
  return node?.type === "object" ? propertyOf(node, key) : undefined;
}

function itemsOf(list: Node | undefined): readonly Node[] {
  return list?.type === "array" ? (list.children ?? []) : [];
}
