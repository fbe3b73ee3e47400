/**
 * Parses YAML into a tree with source positions. Takes little time and memory, whatever a file contains: depth and size
 * are bounded, and aliases count with their expanded size.
 */
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  Lexer,
  parseDocument,
  Parser,
  type Node,
  type YAMLMap,
} from "yaml";
import { KIB } from "@/common/limits";
import { clip, visible } from "@/common/text";
import type {
  KeyPath,
  DiagnosticList,
} from "@/node/services/gauntlet/config/source/DiagnosticList";
import type { SourceFile, Span } from "@/node/services/gauntlet/config/source/SourceFile";

export type YamlTree = YamlScalar | YamlList | YamlMapping;

export interface YamlScalar {
  readonly kind: "scalar";
  readonly span: Span;
  readonly value: unknown;
  /** The text as written: `1.10` is the number 1.1. */
  readonly source: string;
}

export interface YamlList {
  readonly kind: "list";
  readonly span: Span;
  readonly items: readonly YamlTree[];
}

export interface YamlMapping {
  readonly kind: "mapping";
  readonly span: Span;
  readonly entries: ReadonlyMap<string, YamlEntry>;
}

export interface YamlEntry {
  readonly keySpan: Span;
  readonly value: YamlTree;
}

/** The parser and later steps recurse; near the end of the stack V8 itself may abort the process. */
const MAX_NESTING = 64;
/** Counted after aliases are expanded. */
const MAX_NODES = 10_000;
/** Some malicious texts take the parser quadratic time: ten seconds for 256 KiB. */
const MAX_CHARS = 64 * KIB;
const MAX_TOKENS = 30_000;
const SHOWN_CHARS = 60;
const CORE_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map)$/;
const START: Span = { start: 0, end: 1 };

/** Returns undefined and reports a problem if the text is not YAML. An empty text is an empty mapping. */
export function parseYaml(source: SourceFile, problems: DiagnosticList): YamlTree | undefined {
  try {
    refuseExcess(source.text);
    // The library's own check for repeated keys is quadratic: a minute for a file of 600 KiB.
    const options = { prettyErrors: false, stringKeys: true, uniqueKeys: false } as const;
    const document = parseDocument(source.text, { ...options, resolveKnownTags: false });
    for (const { pos, message } of document.errors) {
      const [start, end] = pos;
      problems.add("error", source, { start, end }, [], `this is no YAML: ${message}`);
    }
    if (document.errors.length > 0) return undefined;
    return new TreeBuilder(source, problems).build(document.contents);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    problems.add("error", source, thrown.span, [], thrown.message);
    return undefined;
  }
}

/** Converts a tree to plain objects and lists, for a schema. `__proto__` is an ordinary key. */
export function toPlain(tree: YamlTree): unknown {
  switch (tree.kind) {
    case "scalar":
      return tree.value;
    case "list":
      return tree.items.map(toPlain);
    case "mapping":
      return Object.fromEntries([...tree.entries].map(([key, { value }]) => [key, toPlain(value)]));
  }
}

/** Describes a value briefly, for a message. */
export function describeYaml(tree: YamlTree): string {
  if (tree.kind === "list") return "a list";
  if (tree.kind === "mapping") {
    const keys = [...tree.entries.keys()].slice(0, 4).join(", ");
    return visible(`keys with values (${clip(keys, SHOWN_CHARS)})`);
  }
  if (tree.value === null) return "nothing";
  const { value, source } = tree;
  return visible(
    typeof value === "string" ? JSON.stringify(clip(value, SHOWN_CHARS)) : clip(source, SHOWN_CHARS)
  );
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
  const message = `this is nested deeper than ${MAX_NESTING} levels`;
  return new Refusal({ start, end: start + 1 }, message);
}

/** Checks the limits first: the token parser has its own stack instead of recursion. */
function refuseExcess(text: string): void {
  const isLong = text.length > MAX_CHARS;
  if (isLong) throw new Refusal(START, `this is more than ${MAX_CHARS / KIB} KiB of YAML`);
  const parser = new Parser();
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > MAX_NESTING) throw tooDeep(parser.offset);
    if (++tokens > MAX_TOKENS) throw new Refusal(START, "this is too long to be a configuration");
  }
}

class TreeBuilder {
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;

  constructor(
    private readonly source: SourceFile,
    private readonly problems: DiagnosticList
  ) {}

  build(contents: Node | null): YamlTree {
    const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
    if (isEmpty) return { kind: "mapping", span: { start: 0, end: 0 }, entries: new Map() };
    return this.#tree(contents, [], 0);
  }

  #tree(node: unknown, path: KeyPath, at: number): YamlTree {
    if (path.length > MAX_NESTING) throw tooDeep(at);
    if (++this.#nodes > MAX_NODES) {
      const message = `this has more than ${MAX_NODES} values, its aliases expanded`;
      throw new Refusal({ start: at, end: at + 1 }, message);
    }
    if (isAlias(node)) return this.#aliased(node.source, spanOf(node, at), path);
    this.#refuseTag(node, path, at);
    if (isScalar(node)) {
      this.#remember(node);
      const source = node.source ?? String(node.value);
      return { kind: "scalar", span: spanOf(node, at), value: node.value, source };
    }
    if (!isCollection(node)) {
      return { kind: "scalar", span: { start: at, end: at }, value: null, source: "" };
    }
    this.#remember(node);
    const span = spanOf(node, at);
    if (isMap(node)) return { kind: "mapping", span, entries: this.#entries(node, path) };
    const items = node.items.map((item, i) => this.#tree(item, [...path, i], span.start));
    return { kind: "list", span, items };
  }

  /** Reports a tag that changes the meaning of a value: `! grep x` is the text `grep x`, which inverts a check (G5). */
  #refuseTag(node: unknown, path: KeyPath, at: number): void {
    const tag = (node as { tag?: string } | null)?.tag;
    if (tag === undefined || CORE_TAG.test(tag)) return;
    const { start: valueStart, end } = spanOf(node, at);
    const start = Math.max(0, this.source.text.lastIndexOf("!", valueStart - 1));
    const shown = visible(clip(tag, SHOWN_CHARS));
    const message = `YAML reads ${shown} as a tag, which is not part of the value; quote the whole value, such as "! grep -q x ."`;
    this.problems.add("error", this.source, { start, end }, path, message);
  }

  #entries(node: YAMLMap, path: KeyPath): Map<string, YamlEntry> {
    const entries = new Map<string, YamlEntry>();
    for (const { key, value } of node.items) {
      // The parser accepts only text as keys.
      const name = isScalar(key) && typeof key.value === "string" ? key.value : "";
      const keySpan = spanOf(key, spanOf(node, 0).start);
      const below = [...path, name];
      if (entries.has(name)) {
        this.problems.add("error", this.source, keySpan, below, "this key is given more than once");
      } else {
        entries.set(name, { keySpan, value: this.#tree(value, below, keySpan.end) });
      }
    }
    return entries;
  }

  /** Copies the tree of the anchor, with the position of the alias. */
  #aliased(name: string, span: Span, path: KeyPath): YamlTree {
    const target = this.#anchors.get(name);
    if (target === undefined) throw new Refusal(span, `*${name}: no &${name} stands above it`);
    return { ...this.#tree(target, path, span.start), span };
  }

  #remember(node: Node & { anchor?: string }): void {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
  }
}

function spanOf(node: unknown, otherwise: number): Span {
  const range = (node as { range?: readonly number[] | null } | null)?.range;
  const [start = otherwise, end = start] = range ?? [];
  return { start, end };
}
