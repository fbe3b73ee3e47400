/**
 * Lists, adds, changes and removes hooks in the text of a settings file, for any event and any program's format, sets
 * single keys, and leaves the rest unchanged. jsonc-parser's own `modify` reformats the text around its edit, and moves
 * a comment after the last entry.
 */
import { isJsonObject, type JsonObject } from "@/common/json";
import { formatKeyPath, type SourceNode } from "@/common/source/SourceNode";
import { err, ok, type Result } from "neverthrow";
import { type Diagnostic, fileDiagnostic } from "@/common/diagnostics";
import type { SourcePlace } from "@/common/source/SourceFile";
import { HOOK_EVENTS } from "@/node/services/hooks/contract/types";
import { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";
import { isDeepStrictEqual } from "node:util";
import { MAX_HANDLERS } from "@/common/limits";

/** The form that hooks have in the settings of a program. */
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

/** Returns the byte-order mark of a file, or an empty text, and the rest. */
function splitMark(source: string): { mark: string; text: string } {
  const mark = source.startsWith("\uFEFF") ? "\uFEFF" : "";
  return { mark, text: source.slice(mark.length) };
}

/** Sets a key at the top level. A blank text becomes a whole file. */
export function setTopLevelKey(
  file: string,
  source: string,
  key: string,
  value: boolean
): Result<string, Diagnostic> {
  const isBlank = splitMark(source).text.trim() === "";
  return setKey(file, isBlank ? "{}\n" : source, (root) => [root], key, value);
}

/** Sets a key of the handlers at these places. A place at which no handler begins is ignored. */
export function setHandlerKey(
  file: string,
  source: string,
  places: readonly Pick<SourcePlace, "line" | "column">[],
  key: string,
  value: boolean
): Result<string, Diagnostic> {
  const find = (root: SourceNode): SourceNode[] =>
    HOOK_EVENTS.flatMap((event) => handlerNodes(root, event, GROUPED_HOOKS)).filter(
      ({ kind, place }) =>
        kind === "mapping" &&
        places.some(({ line, column }) => line === place.line && column === place.column)
    );
  return setKey(file, source, find, key, value);
}

function setKey(
  file: string,
  source: string,
  find: (root: SourceNode) => SourceNode[],
  key: string,
  value: boolean
): Result<string, Diagnostic> {
  const { mark, text } = splitMark(source);
  return parseJsonc(file, text).andThen((root) => {
    if (root.kind !== "mapping") return wrong(root, "an object");
    let edited = mark + text;
    // From the end, so that the offsets of the other objects stay valid.
    for (const container of find(root).sort((a, b) => b.span.start - a.span.start)) {
      const body = edited.slice(mark.length);
      const { start, end } = container.child(key)?.span ?? { start: -1, end: -1 };
      edited =
        mark +
        (start < 0
          ? append(body, { root, container, key, value })
          : body.slice(0, start) + JSON.stringify(value) + body.slice(end));
    }
    return ok(edited);
  });
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

/** Replaces values of handlers and keeps all other text. `replace` returns the new fields, of which none is removed. */
export function replaceFields(
  source: string,
  event: string,
  replace: (fields: JsonObject) => JsonObject | undefined,
  format = GROUPED_HOOKS
): string {
  const { mark, text } = splitMark(source);
  const spans = nodesOf(source, event, format).flatMap((node) => {
    const fields = node.toPlain();
    if (!isJsonObject(fields)) return [];
    const ends = Object.keys(fields).map((name) => node.child(name)?.span.end ?? 0);
    const [, space = ""] = /^\{(\s*)/.exec(text.slice(node.span.start, node.span.end)) ?? [];
    return Object.entries(replace(fields) ?? {}).flatMap(([name, value]) => {
      const field = node.child(name);
      if (field?.value === value) return [];
      if (field !== undefined) return [{ ...field.span, value: JSON.stringify(value) }];
      const end = Math.max(...ends);
      const added = `,${space}${JSON.stringify(name)}: ${JSON.stringify(value)}`;
      return [{ start: end, end, value: added }];
    });
  });
  // From the end, so that the offsets of the other values stay valid.
  const replaced = spans
    .sort((a, b) => b.start - a.start)
    .reduce(
      (edited, { start, end, value }) => edited.slice(0, start) + value + edited.slice(end),
      text
    );
  return mark + replaced;
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
  const { mark, text: body } = splitMark(source);
  const text = body.trim() === "" ? `${JSON.stringify(emptyFile, undefined, 2)}\n` : body;
  const entry = isGrouped ? { hooks: [handler] } : handler;
  return parseJsonc(file, text)
    .andThen((root) => findPlace(root, event, entry))
    .map((addition) => {
      const { container, key, value } = addition;
      const entries = key === undefined ? container.items : [];
      const isThere = entries.some((each) => isDeepStrictEqual(each.toPlain(), value));
      return isThere ? source : mark + append(text, addition);
    });
}

/** An entry to append to an object, if it has a key, or to a list. */
interface Addition {
  readonly root: SourceNode;
  readonly container: SourceNode;
  readonly key?: string;
  readonly value: unknown;
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
  const at = lastEnd + withoutSpace(text.slice(lastEnd, close)).length;
  const hasComma = last !== undefined && findComma(text, lastEnd, at) !== undefined;
  const before =
    text.slice(0, lastEnd) + (last === undefined || hasComma ? "" : ",") + text.slice(lastEnd, at);
  const write = (json: string): string =>
    (key === undefined ? json : `${JSON.stringify(key)}: ${json}`) + (hasComma ? "," : "");

  // A new container is formatted like the text around it. An empty file has no format to follow.
  const frame = last === undefined ? root : container;
  const { start, end: frameEnd } = frame.span;
  if (frame.children.length > 0 && !isBroken(text.slice(start, frameEnd))) {
    const gap = last === undefined ? "" : " ";
    const onOneLine = JSON.stringify(value, undefined, 1).replaceAll(/\n */g, " ");
    return before + gap + write(onOneLine) + text.slice(at);
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

/** Removes spaces, tabs and line breaks at the end. Other white space is kept, because it may be the end of a comment. */
function withoutSpace(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Returns the offset of the first comma outside of comments. */
function findComma(text: string, from: number, to: number): number | undefined {
  const tokens = [...text.slice(from, to).matchAll(/,|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n\r]*/g)];
  const comma = tokens.find(([token]) => token === ",");
  return comma === undefined ? undefined : from + comma.index;
}

/** Returns the indentation of the line at `offset`, and whether the line's first text is there. */
function indentOfLine(text: string, offset: number): { indent: string; isFirst: boolean } {
  const before = text.slice(0, offset);
  const start = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r")) + 1;
  const indent = /^[ \t]*/.exec(before.slice(start))?.[0] ?? "";
  return { indent, isFirst: start + indent.length === offset };
}

/**
 * Removes the handlers of an event that `isRemoved` accepts, and then its group, its event and `hooks` if they are
 * empty and contain no comment. Returns a text that does not parse unchanged.
 */
export function removeHooks(
  source: string,
  event: string,
  isRemoved: (fields: JsonObject) => boolean,
  format = GROUPED_HOOKS
): string {
  const { mark, text: body } = splitMark(source);
  let text = body;
  for (let count = 0; count < MAX_HANDLERS; count++) {
    const root = parseJsonc("", text).unwrapOr(undefined);
    const found = handlerNodes(root, event, format).find((node) => {
      const fields = node.toPlain();
      return isJsonObject(fields) && isRemoved(fields);
    });
    if (found === undefined) break;
    text = cut(text, outermost(text, found));
  }
  return mark + text;
}

/** Returns whether a file contains only what a file without hooks contains, and no comment. */
export function isWithoutContent(source: string, { emptyFile }: HookFormat): boolean {
  return source.replaceAll(/\s/g, "") === JSON.stringify(emptyFile);
}

/** Returns the largest value around the node that would be empty without it. The root always remains. */
function outermost(text: string, node: SourceNode): SourceNode {
  const container = node.slot?.parent;
  if (container?.slot === undefined || container.children.length > 1) return node;
  const { span, slot } = container;
  const around = [
    slot.keySpan === undefined ? "" : text.slice(slot.keySpan.end, span.start),
    text.slice(span.start + 1, node.keySpan.start),
    text.slice(node.span.end, span.end - 1),
  ];
  if (!/^[\s:,]*$/.test(around.join(""))) return node;
  const larger = outermost(text, container);
  // A group that has other keys keeps its list.
  return larger.kind === "list" && larger.key === "hooks" ? node : larger;
}

/** Removes an entry with its comma, and the white space before it. */
function cut(text: string, node: SourceNode): string {
  const { parent } = node.slot ?? {};
  if (parent === undefined) return text;
  const at = parent.children.indexOf(node);
  const previous = parent.children[at - 1]?.span.end;
  const next = parent.children[at + 1]?.keySpan.start ?? parent.span.end - 1;
  const [start, end] = [node.keySpan.start, node.span.end];
  const commaAfter = findComma(text, end, next);
  const commaBefore =
    commaAfter === undefined && previous !== undefined
      ? findComma(text, previous, start)
      : undefined;
  const before = without(text, commaBefore, 0, start);
  const after = without(text, commaAfter, end, text.length);
  const isAlone = previous === undefined && next === parent.span.end - 1;
  if (isAlone && before.trimEnd().endsWith("{") && after.trimStart().startsWith("}")) {
    return before.trimEnd() + after.trimStart();
  }
  const kept = withoutSpace(before);
  // A line break before the entry may end a comment, so one of the two stays.
  const isLineKept = /[\r\n]/.test(before.slice(kept.length)) && !/^[ \t]*[\r\n]/.test(after);
  const rest = after.replace(isLineKept ? /^[ \t]+/ : /^[ \t]+(?=[\r\n])/, "");
  return (isLineKept ? before : kept) + rest;
}

/** Returns a part of the text without the character at `at`. */
function without(text: string, at: number | undefined, start: number, end: number): string {
  return at === undefined
    ? text.slice(start, end)
    : text.slice(start, at) + text.slice(at + 1, end);
}
