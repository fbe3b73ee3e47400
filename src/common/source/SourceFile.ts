/**
 * The text of a configuration file in JSONC or YAML, and the types and conversions of its positions: offsets, lines and
 * columns, and key paths.
 */
import type { LocatedDiagnostic } from "@/common/diagnostics";
import { findLineStarts } from "@/common/safeText";

/** A format of configuration files: how lines end, and how messages describe keys and values. */
export interface SourceFormat {
  /** With the flag `g`. */
  readonly lineEnd: RegExp;
  /** A key that needs no quotes in a key path. */
  readonly bareKey: RegExp;
  readonly maxKeyPathChars: number;
  readonly nullName: string;
  /** Describes a mapping by its first keys. */
  readonly describeMapping: (keys: string) => string;
}

export const JSONC: SourceFormat = {
  lineEnd: /\r\n|\r|\n/g,
  bareKey: /^[\w$]+$/,
  maxKeyPathChars: 240,
  nullName: "null",
  describeMapping: () => "an object",
};

export const YAML: SourceFormat = {
  lineEnd: /\n/g,
  bareKey: /^[\w$-]+$/,
  maxKeyPathChars: 200,
  nullName: "no value",
  describeMapping: (keys) => `a mapping (${keys})`,
};

/** Offsets in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The keys and indexes that lead from the root of a file to a value. */
export type KeyPath = readonly PropertyKey[];

/** A part of a file that a problem is about, such as a value with its path from the root of the file. */
export interface SourceRange {
  readonly source: SourceFile;
  readonly span: Span;
  readonly path: KeyPath;
}

/** A position, counted from 1; columns in UTF-16 units. */
export interface SourcePlace {
  readonly line: number;
  readonly column: number;
}

export class SourceFile {
  /** Computed when the first position is needed. */
  #lineStarts: readonly number[] | undefined;

  constructor(
    readonly file: string,
    readonly text: string,
    readonly format: SourceFormat
  ) {}

  rangeOf(start: number, end: number): SourceRange {
    return { source: this, span: { start, end }, path: [] };
  }

  placeOf(offset: number): SourcePlace {
    const starts = this.#starts();
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }

  /** Returns the position of a span, its length up to the end of its first line, and this line. */
  locate({ start, end }: Span): SourcePlace & Pick<LocatedDiagnostic, "length" | "sourceLine"> {
    const place = this.placeOf(start);
    const lineStart = start - place.column + 1;
    const nextLine = this.#starts()[place.line] ?? this.text.length;
    const sourceLine = this.text.slice(lineStart, nextLine).trimEnd();
    const last = Math.min(end, lineStart + sourceLine.length);
    return { ...place, length: Math.max(1, last - start), sourceLine };
  }

  #starts(): readonly number[] {
    return (this.#lineStarts ??= findLineStarts(this.text, this.format.lineEnd));
  }
}
