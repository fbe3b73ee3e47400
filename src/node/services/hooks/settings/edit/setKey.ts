/** Sets one key in the text of a settings file and leaves the rest unchanged, with its comments and its order. */
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import type { SourcePlace } from "@/common/source/SourceFile";
import type { SourceNode } from "@/common/source/SourceNode";
import { HOOK_EVENTS } from "@/node/services/hooks/contract/types";
import { GROUPED_HOOKS, handlerNodes } from "@/node/services/hooks/settings/hookFormat";
import { append } from "@/node/services/hooks/settings/insertHook";
import { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";
import { expectedValue } from "@/node/services/hooks/messages/shared";

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
