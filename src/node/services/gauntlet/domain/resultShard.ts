/** What a part of a run says of itself, so that `merge` can tell whether the parts belong together. */
export interface ResultShard {
  /** From 0, and how many there are. */
  readonly job: number;
  readonly jobTotal: number;
  /** What was looked at; absent where the run ended before that. */
  readonly of?: RunIdentity;
}

/** The same in all parts of one run. */
export interface RunIdentity {
  /** The whole working tree, as the ID of a git tree. */
  readonly snapshot: string;
  /** What it is compared with: a commit, or what was asked for instead; absent where there is no commit. */
  readonly base?: string;
  /** Digest of the configuration. */
  readonly config: string;
  /** IDs of the jobs of all parts, in configured order. */
  readonly jobs: readonly string[];
}
