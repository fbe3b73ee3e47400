/** Removes hooks from the text of a settings file and leaves the rest unchanged: the inverse of {@link addHook}. */
import { isJsonObject, type JsonObject } from "@/common/json";
import { MAX_HANDLERS } from "@/common/limits";
import type { SourceNode } from "@/common/source/SourceNode";
import {
  findComma,
  GROUPED_HOOKS,
  handlerNodes,
  splitMark,
  withoutSpace,
  type HookFormat,
} from "@/node/services/hooks/settings/editHooks";
import { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";

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
  return isLineKept ? before + after.replace(/^[ \t]+/, "") : kept + after;
}

/** Returns a part of the text without the character at `at`. */
function without(text: string, at: number | undefined, start: number, end: number): string {
  return at === undefined
    ? text.slice(start, end)
    : text.slice(start, at) + text.slice(at + 1, end);
}
