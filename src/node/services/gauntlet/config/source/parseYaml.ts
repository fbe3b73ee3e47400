/**
 * Parses YAML into a tree with source positions. Reports repeated keys, tags and a second document as errors (G5).
 * Takes little time and memory for any file: depth and size are bounded, and aliases count with their expanded size.
 */
import * as yaml from "yaml";
import { KIB } from "@/common/limits";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceFile, Span } from "@/common/source/SourceFile";
import { SourceNode, type Slot } from "@/common/source/SourceNode";
import { clip, visible } from "@/common/safeText";

/** The parser and later steps recurse; near the end of the stack V8 itself may abort the process. */
const MAX_NESTING = 64;
/** Counted after aliases are expanded. */
const MAX_NODES = 10_000;
/** Some malicious texts take the parser quadratic time: ten seconds for 256 KiB. */
const MAX_CHARS = 64 * KIB;
const MAX_TOKENS = 30_000;
/** The library makes an error with a stack trace of each wrong token: half a second for 30,000. The rest is not parsed. */
const MAX_ERRORS = 500;
const SHOWN_CHARS = 60;
const CORE_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map)$/;
const START: Span = { start: 0, end: 1 };

/** Returns undefined and reports a problem if the text is not YAML. An empty text is an empty mapping. */
export function parseYaml(source: SourceFile, problems: DiagnosticList): SourceNode | undefined {
  try {
    // The library's own check for repeated keys is quadratic: a minute for a file of 600 KiB.
    const options = { prettyErrors: false, stringKeys: true, uniqueKeys: false } as const;
    const composer = new yaml.Composer({ ...options, resolveKnownTags: false });
    const [document, next] = composer.compose(boundedTokens(source.text), true, source.text.length);
    for (const { pos, message } of document?.errors ?? []) {
      problems.add("error", source.rangeOf(...pos), `this is not valid YAML: ${message}`);
    }
    if (next !== undefined) {
      const [start, end] = next.range;
      problems.add(
        "error",
        source.rangeOf(start, end),
        "the file contains a second YAML document; remove it and the `---` before it"
      );
    }
    if (document === undefined || document.errors.length > 0 || next !== undefined)
      return undefined;
    return new TreeBuilder(source, problems).build(document.contents);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const { start, end } = thrown.span;
    problems.add("error", source.rangeOf(start, end), thrown.message);
    return undefined;
  }
}

/** Aborts the parse of a file that would take too much time or memory. */
class Refusal extends Error {
  constructor(
    readonly span: Span,
    message: string
  ) {
    super(message);
  }
}

function tooDeep(start: number): Refusal {
  return new Refusal({ start, end: start + 1 }, `this is nested deeper than ${MAX_NESTING} levels`);
}

/**
 * Returns the tokens of each document when its end is reached, so the limits are checked before its tree is built. The
 * token parser does not recurse, so it cannot overflow the stack.
 */
function* boundedTokens(text: string): Generator<yaml.CST.Token> {
  if (text.length > MAX_CHARS)
    throw new Refusal(
      START,
      `this YAML is larger than ${MAX_CHARS / KIB} KiB, the maximum for the YAML of a file`
    );
  const parser = new yaml.Parser();
  let [tokens, errors] = [0, 0];
  for (const lexeme of new yaml.Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      yield token;
      if (token.type === "error" && ++errors === MAX_ERRORS) return;
    }
    if (parser.stack.length > MAX_NESTING) throw tooDeep(parser.offset);
    if (++tokens > MAX_TOKENS)
      throw new Refusal(
        START,
        `this YAML has more than ${MAX_TOKENS} tokens (words, marks and spaces), the maximum for a file`
      );
  }
  yield* parser.end();
}

class TreeBuilder {
  readonly #anchors = new Map<string, yaml.Node>();
  #nodes = 0;

  constructor(
    private readonly source: SourceFile,
    private readonly problems: DiagnosticList
  ) {}

  build(contents: yaml.Node | null): SourceNode {
    const isEmpty = contents === null || (yaml.isScalar(contents) && contents.value === null);
    if (isEmpty) return new SourceNode(this.source, "mapping", { start: 0, end: 0 }, undefined);
    return this.#add(contents, undefined, 0);
  }

  #add(node: unknown, slot: Slot | undefined, at: number): SourceNode {
    if (slot !== undefined && slot.parent.depth >= MAX_NESTING) throw tooDeep(at);
    if (++this.#nodes > MAX_NODES) {
      throw new Refusal(
        { start: at, end: at + 1 },
        `this has more than ${MAX_NODES} values after its aliases are expanded`
      );
    }
    const span = spanOf(node, at);
    if (yaml.isAlias(node)) return this.#aliased(node.source, span, slot);
    const { source } = this;
    if (!yaml.isScalar(node) && !yaml.isCollection(node)) {
      return new SourceNode(source, "scalar", { start: at, end: at }, slot, null, "");
    }
    const added = yaml.isScalar(node)
      ? new SourceNode(source, "scalar", span, slot, node.value, node.source)
      : new SourceNode(source, yaml.isMap(node) ? "mapping" : "list", span, slot);
    this.#refuseTag(node.tag, added);
    // The copy for an alias is before the current anchor of the same name.
    if (node.anchor !== undefined && spanOf(this.#anchors.get(node.anchor), -1).start < span.start)
      this.#anchors.set(node.anchor, node);
    if (yaml.isMap(node)) this.#addEntries(node, added);
    else if (yaml.isCollection(node)) {
      node.items.forEach((item, key) => this.#add(item, { parent: added, key }, span.start));
    }
    return added;
  }

  /** Reports a tag that changes the meaning of a value: `! grep x` is the text `grep x`, which inverts a check (G5). */
  #refuseTag(tag: string | undefined, { span, path }: SourceNode): void {
    if (tag === undefined || CORE_TAG.test(tag)) return;
    const { source } = this;
    const start = Math.max(0, source.text.lastIndexOf("!", span.start - 1));
    const shown = visible(clip(tag, SHOWN_CHARS));
    const at = { source, span: { start, end: span.end }, path };
    this.problems.add(
      "error",
      at,
      `YAML reads ${shown} as a tag, which is not part of the value; quote the whole value, such as "! grep -q x ."`
    );
  }

  #addEntries(node: yaml.YAMLMap, parent: SourceNode): void {
    const { source } = this;
    const names = new Set<string>();
    for (const { key, value } of node.items) {
      // The parser accepts only text as keys.
      const name = yaml.isScalar(key) && typeof key.value === "string" ? key.value : "";
      const keySpan = spanOf(key, parent.span.start);
      if (names.has(name)) {
        const at = { source, span: keySpan, path: parent.path };
        this.problems.add("error", at, "this key is given more than once", name);
      } else this.#add(value, { parent, key: name, keySpan }, keySpan.end);
      names.add(name);
    }
  }

  /** Adds a copy of the tree of the anchor, with the position of the alias. */
  #aliased(name: string, span: Span, slot: Slot | undefined): SourceNode {
    const target = this.#anchors.get(name);
    if (target === undefined) throw new Refusal(span, `*${name}: there is no &${name} before it`);
    const added = this.#add(target, slot, span.start);
    added.span = span;
    return added;
  }
}

function spanOf(node: unknown, otherwise: number): Span {
  const range = (node as { range?: readonly number[] | null } | null)?.range;
  const [start = otherwise, end = start] = range ?? [];
  return { start, end };
}
