/**
 * Adds a hook to the text of a settings file and leaves the rest unchanged. jsonc-parser's own `modify` reformats the
 * text around its edit, and moves a comment that follows the last entry behind the new one.
 */
import { isDeepStrictEqual } from "node:util";
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import type { JsonObject } from "@/common/json";
import { formatKeyPath, type SourceNode } from "@/common/source/SourceNode";
import { GROUPED_HOOKS, type HookFormat } from "@/node/services/hooks/settings/hookFormat";
import { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";

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
export function append(text: string, { root, container, key, value }: Addition): string {
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
