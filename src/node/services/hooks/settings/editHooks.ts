/**
 * Lists, adds and changes hooks in the text of a settings file, for any event and any program's format, and leaves the
 * rest unchanged. jsonc-parser's own `modify` reformats the text around its edit, and moves a comment that follows the last
 * entry behind the new one.
 */
import { isJsonObject, type JsonObject } from "@/common/json";
import { formatKeyPath, type SourceNode } from "@/common/source/SourceNode";
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import type { SourcePlace } from "@/common/source/SourceFile";
import { HOOK_EVENTS } from "@/node/services/hooks/contract/types";
import { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";
import { expectedValue } from "@/node/services/hooks/messages/shared";
import { isDeepStrictEqual } from "node:util";

export interface HookFormat {
  /** Whether the list of an event contains groups with a list `hooks`, as in Claude Code, or the handlers themselves. */
  readonly isGrouped: boolean;
  /** The key of a handler's command line. */
  readonly commandKey: string;
  /** The content of a file without hooks. */
  readonly emptyFile: JsonObject;
}

/** The format of Claude Code, which most programs use. */
export const GROUPED_HOOKS: HookFormat = { isGrouped: true, commandKey: "command", emptyFile: {} };

/** Returns the nodes of an event's handlers, in the order of the file. */
export function handlerNodes(
  root: SourceNode | undefined,
  event: string,
  { isGrouped }: HookFormat
): readonly SourceNode[] {
  const entries = root?.child("hooks")?.child(event)?.items ?? [];
  return isGrouped ? entries.flatMap((group) => group.child("hooks")?.items ?? []) : entries;
}

/** Sets a key at the top level. A blank text becomes a whole file. */
export function setTopLevelKey(
  file: string,
  source: string,
  key: string,
  value: boolean
): Result<string, Diagnostic> {
  const blank = source.replace(/^\uFEFF/, "").trim() === "";
  return edit(file, blank ? "{}\n" : source, (root, text) => setKey(text, root, root, key, value));
}

/** Sets a key of the handlers at these places. A place at which no handler begins is ignored. */
export function setHandlerKey(
  file: string,
  source: string,
  places: readonly Pick<SourcePlace, "line" | "column">[],
  key: string,
  value: boolean
): Result<string, Diagnostic> {
  return edit(file, source, (root, text) => {
    const nodes = HOOK_EVENTS.flatMap((event) => handlerNodes(root, event, GROUPED_HOOKS)).filter(
      ({ kind, place }) =>
        kind === "mapping" &&
        places.some(({ line, column }) => line === place.line && column === place.column)
    );
    // From the end, so that the offsets of the other handlers stay valid.
    return nodes
      .sort((a, b) => b.span.start - a.span.start)
      .reduce((edited, node) => setKey(edited, root, node, key, value), text);
  });
}

function edit(
  file: string,
  source: string,
  change: (root: SourceNode, text: string) => string
): Result<string, Diagnostic> {
  const mark = source.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = source.slice(mark.length);
  return parseJsonc(file, text).andThen((root) =>
    root.kind === "mapping"
      ? ok(mark + change(root, text))
      : err(fileDiagnostic("error", file, expectedValue("an object", root.describe())))
  );
}

function setKey(
  text: string,
  root: SourceNode,
  container: SourceNode,
  key: string,
  value: boolean
): string {
  const present = container.child(key);
  if (present === undefined) return append(text, { root, container, key, value });
  const { start, end } = present.span;
  return text.slice(0, start) + JSON.stringify(value) + text.slice(end);
}

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

/**
 * Returns the text with one more handler for an event, in a group of its own if the format has groups, or the same text
 * if another process has added that entry meanwhile. A blank text becomes a whole file. Fails if the text does not parse
 * or has no place for a list of hooks.
 *
 * @param file for messages
 */
export function addHook(
  file: string,
  source: string,
  event: string,
  handler: JsonObject,
  { isGrouped, emptyFile }: HookFormat = GROUPED_HOOKS
): Result<string, Diagnostic> {
  const mark = source.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = source.slice(mark.length);
  const text = body.trim() === "" ? `${JSON.stringify(emptyFile, undefined, 2)}\n` : body;
  const entry = isGrouped ? { hooks: [handler] } : handler;
  return parseJsonc(file, text)
    .andThen((root) => findPlace(root, event, entry))
    .map((addition) => (isThere(addition) ? source : mark + append(text, addition)));
}

/** An entry to append to an object, if it has a key, or to a list. */
export interface Addition {
  readonly root: SourceNode;
  readonly container: SourceNode;
  readonly key?: string;
  readonly value: unknown;
}

function isThere({ container, key, value }: Addition): boolean {
  const entries = key === undefined ? container.items : [];
  return entries.some((entry) => isDeepStrictEqual(entry.toPlain(), value));
}

/** Finds the deepest existing container for the new entry of the event. */
function findPlace(
  root: SourceNode,
  event: string,
  entry: JsonObject
): Result<Addition, Diagnostic> {
  if (root.kind !== "mapping") return wrong(root, "an object");
  const hooks = root.child("hooks");
  if (hooks === undefined) {
    return ok({ root, container: root, key: "hooks", value: { [event]: [entry] } });
  }
  if (hooks.kind !== "mapping") return wrong(hooks, "an object");
  const groups = hooks.child(event);
  if (groups === undefined) return ok({ root, container: hooks, key: event, value: [entry] });
  return groups.kind === "list"
    ? ok({ root, container: groups, value: entry })
    : wrong(groups, "a list");
}

function wrong(node: SourceNode, expected: string): Result<never, Diagnostic> {
  const { file, format } = node.source;
  const message = `expected ${expected}, found ${node.describe()}`;
  const keyPath = formatKeyPath(node.path, format);
  return err({ ...fileDiagnostic("error", file, message), ...node.place, keyPath });
}

/** Returns the text with the entry after the last one of its container. */
function append(text: string, { root, container, key, value }: Addition): string {
  const close = container.span.end - 1;
  const last = container.children.at(-1);
  const lastEnd = last === undefined ? container.span.start + 1 : last.span.end;
  const at = withoutSpace(text, lastEnd, close);
  const hasComma = last !== undefined && holdsComma(text.slice(lastEnd, at));
  const before =
    text.slice(0, lastEnd) + (last === undefined || hasComma ? "" : ",") + text.slice(lastEnd, at);
  const write = (json: string): string =>
    (key === undefined ? json : `${JSON.stringify(key)}: ${json}`) + (hasComma ? "," : "");

  // A new container is formatted like the text around it. An empty file has no format to follow.
  const frame = last === undefined ? root : container;
  const { start, end: frameEnd } = frame.span;
  if (frame.children.length > 0 && !isBroken(text.slice(start, frameEnd))) {
    const gap = last === undefined ? "" : " ";
    return before + gap + write(onOneLine(value)) + text.slice(at);
  }
  const lineEnd = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const unit = /[\n\r]([ \t]+)"/.exec(text)?.[1] ?? "  ";
  const outer = indentOfLine(text, container.span.start).indent;
  const beside = last && indentOfLine(text, last.keySpan.start);
  const indent = beside?.isFirst === true ? beside.indent : outer + unit;
  const entry = write(JSON.stringify(value, undefined, unit)).replaceAll("\n", lineEnd + indent);
  const rest = text.slice(at, close);
  const end = isBroken(rest) ? rest : lineEnd + outer;
  return before + lineEnd + indent + entry + end + text.slice(close);
}

function isBroken(text: string): boolean {
  return /[\n\r]/.test(text);
}

/**
 * Returns where the spaces, tabs and line breaks before `to` begin, at least `from`. Other white space is kept, because
 * it may be the end of a comment.
 */
function withoutSpace(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && " \t\r\n".includes(text.charAt(at - 1))) at--;
  return at;
}

/** Returns whether the text between the last entry and the bracket has a comma outside of comments. */
function holdsComma(text: string): boolean {
  return text.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n\r]*/g, "").includes(",");
}

function onOneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(/\n */g, " ");
}

/** Returns the indentation of the line at `offset`, and whether the line's first text is there. */
function indentOfLine(text: string, offset: number): { indent: string; isFirst: boolean } {
  const before = text.slice(0, offset);
  const start = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  const indent = /^[ \t]*/.exec(before.slice(start))?.[0] ?? "";
  return { indent, isFirst: start + indent.length === offset };
}
