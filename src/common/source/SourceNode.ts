/**
 * The values of a configuration file as a tree, each with its position, and the key paths of messages. `parseJsonc` and
 * `parseYaml` build the tree.
 */
import { clip, visible } from "@/common/safeText";
import type * as sourceFile from "@/common/source/SourceFile";

export type NodeKind = "scalar" | "list" | "mapping";

/** The position of a value in its parent. */
export interface Slot {
  readonly parent: SourceNode;
  readonly key: PropertyKey;
  /** Absent for an item of a list. */
  readonly keySpan?: sourceFile.Span;
}

const SHOWN_CHARS = 60;
const SHOWN_KEYS = 4;

/** Shared by all scalars, since a file can have many. */
const NO_CHILDREN: SourceNode[] = [];
Object.freeze(NO_CHILDREN);

export class SourceNode implements sourceFile.SourceRange {
  readonly children: SourceNode[];
  /** The number of lists and mappings that contain this value. */
  readonly depth: number;

  /**
   * Creates a node as the last child of its parent.
   *
   * @param value of a scalar
   * @param written the text of a scalar, if that differs: YAML's `1.10` is the number 1.1
   */
  constructor(
    readonly source: sourceFile.SourceFile,
    readonly kind: NodeKind,
    public span: sourceFile.Span,
    readonly slot: Slot | undefined,
    readonly value?: unknown,
    readonly written = String(value)
  ) {
    this.children = kind === "scalar" ? NO_CHILDREN : [];
    this.depth = slot === undefined ? 0 : slot.parent.depth + 1;
    slot?.parent.children.push(this);
  }

  get key(): string {
    return String(this.slot?.key ?? "");
  }

  /** The span of the key, or of the value itself if it has no key. */
  get keySpan(): sourceFile.Span {
    return this.slot?.keySpan ?? this.span;
  }

  /** The path from the root of the file. */
  get path(): sourceFile.KeyPath {
    return this.slot === undefined ? [] : [...this.slot.parent.path, this.slot.key];
  }

  get place(): sourceFile.SourcePlace {
    return this.source.placeOf(this.span.start);
  }

  /** The key, as a part of the file. */
  get atKey(): sourceFile.SourceRange {
    return { source: this.source, span: this.keySpan, path: this.path };
  }

  /** The items of a list; empty for any other value. */
  get items(): readonly SourceNode[] {
    return this.kind === "list" ? this.children : [];
  }

  /** Returns the value of a key or an index. If a key is repeated, the last one counts, as with `JSON.parse`. */
  child(key: PropertyKey): SourceNode | undefined {
    return this.children.findLast(({ slot }) => slot?.key === key);
  }

  /** Converts the tree to plain objects and lists, for a schema. `__proto__` is an ordinary key. */
  toPlain(): unknown {
    if (this.kind === "scalar") return this.value;
    if (this.kind === "list") return this.children.map((item) => item.toPlain());
    return Object.fromEntries(this.children.map((child) => [child.key, child.toPlain()]));
  }

  /** Describes the value, short enough for a message. */
  describe(): string {
    const { kind, value, written, children } = this;
    const { describeMapping, nullName } = this.source.format;
    if (kind === "list") return "a list";
    if (kind === "mapping") {
      const keys = children.slice(0, SHOWN_KEYS).map(({ key }) => key);
      return visible(describeMapping(clip(keys.join(", "), SHOWN_CHARS)));
    }
    if (value === null) return nullName;
    const isText = typeof value === "string";
    return visible(isText ? JSON.stringify(clip(value, SHOWN_CHARS)) : clip(written, SHOWN_CHARS));
  }
}

/** Formats a path as in `hooks.Stop[0].hooks[1].timeout`. */
export function formatKeyPath(
  path: sourceFile.KeyPath,
  { bareKey, maxKeyPathChars }: sourceFile.SourceFormat
): string {
  const parts = path.map((part) => {
    if (typeof part === "number") return `[${part}]`;
    const key = String(part);
    return bareKey.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return clip(visible(parts.join("").replace(/^\./, "")), maxKeyPathChars);
}
