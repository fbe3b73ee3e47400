/** The change as a reviewer sees it (G12, G12a). */
export interface ReviewDiff {
  /** Unified, with what is not shown named in it. */
  readonly text: string;
  readonly files: readonly DiffFile[];
  /** What was cut or masked, a line each. */
  readonly notes: readonly string[];
  /** Paths of files that are too large to be shown whole. */
  readonly cut: readonly string[];
}

export interface DiffFile {
  /** Relative to the project. */
  readonly path: string;
  readonly previousPath?: string;
  /** `named`: nothing of its content is shown. */
  readonly shown: "whole" | "cut" | "named";
  /** The lines of the new side that stand in the diff, context included: first and last, from 1. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
}
