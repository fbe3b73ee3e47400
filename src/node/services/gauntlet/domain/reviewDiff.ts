/** The change as a reviewer sees it (G12, G12a). */
export interface ReviewDiff {
  /** In unified format with line numbers, including the names of the files that are not shown. */
  readonly text: string;
  readonly files: readonly DiffFile[];
  /** The parts that were cut or masked, one line each. */
  readonly notes: readonly string[];
  /** Paths of files that are not shown in full because of their size or of a NUL byte. */
  readonly cut: readonly string[];
}

export interface DiffFile {
  /** Relative to the project. */
  readonly path: string;
  readonly previousPath?: string;
  /** `named`: none of its content is shown. */
  readonly shown: "whole" | "cut" | "named";
  /** The lines of the new version that the diff shows, including context. */
  readonly ranges: readonly LineRange[];
  /** The lines of the old version that it removes or replaces, or between which it inserts lines. */
  readonly touched: readonly LineRange[];
}

/** From 1, including the last one. */
export type LineRange = readonly [first: number, last: number];
