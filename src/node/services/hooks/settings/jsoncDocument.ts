/** Parses a settings file into a tree with positions: JSON with comments and trailing commas (H2). */
import {
  getNodePath,
  parseTree,
  printParseErrorCode,
  visit,
  type Node,
  type ParseOptions,
} from "jsonc-parser";
import { err, ok, type Result } from "neverthrow";
import { findLineStarts } from "@/common/foreignText";
import { clip, visible } from "@/common/text";

/** A position, counted from 1; columns in UTF-16 code units. */
export interface DocumentPlace {
  readonly line: number;
  readonly column: number;
}

export interface SyntaxProblem extends DocumentPlace {
  readonly message: string;
}

const OPTIONS: ParseOptions = { allowTrailingComma: true };
/** Maximum nesting. The parser recurses, so without this limit a file of brackets would decide how deep. */
const MAX_NESTING = 100;
const SHOWN_CHARS = 60;

export class SettingsDocument {
  private constructor(
    readonly root: Node,
    private readonly lineStarts: readonly number[]
  ) {}

  /** Parses the whole text or fails. A value that the parser recovers from a broken file may be incomplete (H5). */
  static parse(source: string): Result<SettingsDocument, SyntaxProblem> {
    const text = source.replace(/^\uFEFF/, "");
    const lineStarts = findLineStarts(text);
    const fault = findFault(text);
    if (fault !== undefined) {
      return err({ ...placeAt(lineStarts, fault.offset), message: fault.message });
    }
    const root = parseTree(text, [], OPTIONS);
    if (root === undefined) return err({ line: 1, column: 1, message: "the file is empty" });
    return ok(new SettingsDocument(root, lineStarts));
  }

  placeOf(node: Node): DocumentPlace {
    return placeAt(this.lineStarts, node.offset);
  }
}

/** Returns the value of a key. If the key is repeated, the last one counts, as with `JSON.parse`. */
export function propertyOf(node: Node, key: string): Node | undefined {
  return node.children?.findLast((property) => keyOf(property) === key)?.children?.[1];
}

/** Returns the keys of an object in the order of the file, each with the node of the key itself. */
export function keysOf(node: Node): { key: string; node: Node }[] {
  return (node.children ?? []).map((property) => ({
    key: keyOf(property),
    node: property.children?.[0] ?? property,
  }));
}

/** Returns a key path such as `hooks.Stop[0].hooks[1].timeout`. */
export function keyPathOf(node: Node, ...below: readonly PropertyKey[]): string {
  const path = [...getNodePath(node), ...below].map((part) => {
    if (typeof part === "number") return `[${part}]`;
    return /^[\w$]+$/.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(part)}]`;
  });
  return clip(visible(path.join("").replace(/^\./, "")), 4 * SHOWN_CHARS);
}

/** Describes a value of the file, short enough for a message. */
export function describeNode(node: Node): string {
  if (node.type === "object") return "an object";
  if (node.type === "array") return "a list";
  const value: unknown = node.value;
  const text = typeof value === "string" ? JSON.stringify(clip(value, SHOWN_CHARS)) : String(value);
  return visible(text);
}

function keyOf(property: Node): string {
  return String(property.children?.[0]?.value);
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

function findFault(text: string): Fault | undefined {
  let depth = 0;
  const enter = (offset: number): void => {
    if (++depth > MAX_NESTING) {
      throw new Fault(offset, `it is nested deeper than ${MAX_NESTING} levels`);
    }
  };
  const leave = (): void => {
    depth--;
  };
  try {
    visit(
      text,
      {
        onObjectBegin: enter,
        onArrayBegin: enter,
        onObjectEnd: leave,
        onArrayEnd: leave,
        onError: (code, offset, length) => {
          throw new Fault(offset, describeFault(text, printParseErrorCode(code), offset, length));
        },
      },
      OPTIONS
    );
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
}

/** Describes a syntax error: `ValueExpected` becomes `value expected, found "NaN"`. */
function describeFault(text: string, code: string, offset: number, length: number): string {
  const words = code.replaceAll(/(?<!^)[A-Z]/g, " $&").toLowerCase();
  const found = text.slice(offset, offset + Math.min(length, SHOWN_CHARS + 1));
  if (found.trim() === "")
    return offset + length >= text.length ? `${words} at the end of the file` : words;
  return `${words}, found ${visible(JSON.stringify(clip(found, SHOWN_CHARS)))}`;
}

function placeAt(lineStarts: readonly number[], offset: number): DocumentPlace {
  let low = 0;
  let high = lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
}
