/** Parses a settings file into a tree with positions: JSON with comments and trailing commas (H2). */
import { printParseErrorCode, visit } from "jsonc-parser";
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { JSONC } from "@/common/source/formats";
import { SourceFile, type Span } from "@/common/source/SourceFile";
import { SourceNode, type NodeKind } from "@/common/source/SourceNode";
import { clip, visible } from "@/common/text";

/** Maximum nesting. The parser recurses, so without this limit a file of brackets could overflow the stack. */
const MAX_NESTING = 100;
/** More than any file needs that a user lets us edit. */
const MAX_VALUES = 40_000;
const SHOWN_CHARS = 60;

/** Parses the whole text or fails. A value that the parser recovers from a broken file may be incomplete (H5). */
export function parseJsonc(
  file: string,
  text: string,
  maxValues = MAX_VALUES
): Result<SourceNode, Diagnostic> {
  const source = new SourceFile(file, text.replace(/^\uFEFF/, ""), JSONC);
  try {
    return ok(buildTree(source, maxValues));
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const place = source.placeOf(thrown.offset);
    return err({ ...fileDiagnostic("error", file, thrown.message), ...place });
  }
}

/** An error that ends a visit at the first fault, since a broken file can have a million of them. */
class Fault extends Error {
  constructor(
    readonly offset: number,
    message: string
  ) {
    super(message);
  }
}

function buildTree(source: SourceFile, maxValues: number): SourceNode {
  const open: SourceNode[] = [];
  let root: SourceNode | undefined;
  let values = 0;
  let property = { key: "", keySpan: spanOf(0, 0) };
  const add = (kind: NodeKind, span: Span, value?: unknown): SourceNode => {
    if (++values > maxValues) throw new Fault(span.start, `it has more than ${maxValues} values`);
    const parent = open.at(-1);
    const entry = parent?.kind === "list" ? { key: parent.children.length } : property;
    const node = new SourceNode(source, kind, span, parent && { parent, ...entry }, value);
    root ??= node;
    return node;
  };
  const begin = (kind: NodeKind) => (offset: number) => {
    if (open.length >= MAX_NESTING) {
      throw new Fault(offset, `it is nested deeper than ${MAX_NESTING} levels`);
    }
    open.push(add(kind, spanOf(offset, 1)));
  };
  const end = (offset: number): void => {
    const node = open.pop();
    if (node !== undefined) node.span = { start: node.span.start, end: offset + 1 };
  };
  visit(
    source.text,
    {
      onObjectBegin: begin("mapping"),
      onArrayBegin: begin("list"),
      onObjectProperty: (key, offset, length) => {
        property = { key, keySpan: spanOf(offset, length) };
      },
      onLiteralValue: (value, offset, length) => {
        add("scalar", spanOf(offset, length), value);
      },
      onObjectEnd: end,
      onArrayEnd: end,
      onError: (code, offset, length) => {
        const words = describeFault(source.text, printParseErrorCode(code), offset, length);
        throw new Fault(offset, words);
      },
    },
    { allowTrailingComma: true }
  );
  if (root === undefined) throw new Fault(0, "the file is empty");
  return root;
}

function spanOf(start: number, length: number): Span {
  return { start, end: start + length };
}

/** Describes a syntax error: `ValueExpected` becomes `value expected, found "NaN"`. */
function describeFault(text: string, code: string, offset: number, length: number): string {
  const words = code.replaceAll(/(?<!^)[A-Z]/g, " $&").toLowerCase();
  const found = text.slice(offset, offset + Math.min(length, SHOWN_CHARS + 1));
  if (found.trim() === "")
    return offset + length >= text.length ? `${words} at the end of the file` : words;
  return `${words}, found ${visible(JSON.stringify(clip(found, SHOWN_CHARS)))}`;
}
