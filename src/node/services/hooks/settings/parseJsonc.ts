/**
 * Parses a settings file into a tree with positions: JSON with comments and trailing commas (H2). Fails at the first
 * fault, and for a file that is nested too deeply or has too many values.
 */
import { printParseErrorCode, visit } from "jsonc-parser";
import { err, ok, type Result } from "neverthrow";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { JSONC, SourceFile, type Span } from "@/common/source/SourceFile";
import { SourceNode, type NodeKind } from "@/common/source/SourceNode";
import { clip, visible } from "@/common/safeText";

/** Maximum nesting. The parser recurses, so without this limit a file of brackets could overflow the stack. */
const MAX_NESTING = 100;
/** More than any file that a command edits needs. */
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
    const excess = findExcess(source.text, maxValues);
    if (excess !== undefined) throw new Fault(excess, `it has more than ${maxValues} values`);
    return ok(buildTree(source));
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

/**
 * Returns the offset of the first value above a number, or of its key. Counting takes a tenth of the time of parsing,
 * and a file of a clone that is refused must cost no more (H5).
 */
function findExcess(text: string, maxValues: number): number | undefined {
  let values = 0;
  let depth = 0;
  let beginsValue = true;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char <= SPACE) continue;
    if (char === SLASH) {
      const end = text.startsWith("/*", i) ? /\*\//g : /[\r\n]/g;
      end.lastIndex = i + 2;
      if (!end.test(text)) return undefined;
      i = end.lastIndex - 1;
    } else if (char === COMMA) beginsValue = true;
    else {
      const isClosing = char === CLOSING_BRACKET || char === CLOSING_BRACE;
      if (beginsValue && !isClosing && ++values > maxValues) return i;
      beginsValue = char === BRACKET || char === BRACE;
      depth += beginsValue ? 1 : isClosing ? -1 : 0;
      // The parser reports the nesting, at an earlier place.
      if (depth > MAX_NESTING) return undefined;
      if (char === QUOTE) i = findEndOfString(text, i);
    }
  }
  return undefined;
}

const [SPACE, SLASH, COMMA, QUOTE] = [0x20, 0x2f, 0x2c, 0x22];
const [BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns the offset of the quote that ends a string, or the length of the text. */
function findEndOfString(text: string, begin: number): number {
  for (let end = begin; ;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let first = end;
    while (text[first - 1] === "\\") first--;
    if ((end - first) % 2 === 0) return end;
  }
}

function buildTree(source: SourceFile): SourceNode {
  const open: SourceNode[] = [];
  let root: SourceNode | undefined;
  let property = { key: "", keySpan: spanOf(0, 0) };
  const add = (kind: NodeKind, span: Span, value?: unknown): SourceNode => {
    const parent = open.at(-1);
    const isItem = parent?.kind === "list";
    const { key, keySpan } = property;
    const slot = isItem
      ? { parent, key: parent.children.length }
      : parent && { parent, key, keySpan };
    const node = new SourceNode(source, kind, span, slot, value);
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
