/** The text of a file, and the conversion of offsets to lines and columns. */
import { LineCounter } from "yaml";
import type { ConfigDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";

/** Offsets in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export class SourceFile {
  readonly #lines = new LineCounter();

  constructor(
    readonly file: string,
    readonly text: string
  ) {
    this.#lines.lineStarts = [0];
    for (const { index } of text.matchAll(/\n/g)) this.#lines.lineStarts.push(index + 1);
  }

  /** Returns the line and column from 1, and the length up to the end of the first line. */
  locate({
    start,
    end,
  }: Span): Pick<ConfigDiagnostic, "line" | "column" | "length" | "sourceLine"> {
    const { line, col } = this.#lines.linePos(start);
    const lineStart = this.#lines.lineStarts[line - 1] ?? 0;
    const nextLine = this.#lines.lineStarts[line] ?? this.text.length;
    const sourceLine = this.text.slice(lineStart, nextLine).trimEnd();
    const last = Math.min(end, lineStart + sourceLine.length);
    return { line, column: col, length: Math.max(1, last - start), sourceLine };
  }
}
