/** A shard's description of itself, from which `merge` determines whether the shards belong together. */
export interface ResultShard {
  /** The shard's index from 0, and the number of shards. */
  readonly job: number;
  readonly jobTotal: number;
  /** The run that it belongs to; absent if the run ended before that was known. */
  readonly of?: RunIdentity;
}

/** The values that are the same in all shards of a run. */
export interface RunIdentity {
  /** The whole working tree, as the ID of a git tree. */
  readonly snapshot: string;
  /** The base of the comparison: a commit, or a description of the scope; absent if there is no commit. */
  readonly base?: string;
  /** Digest of the configuration. */
  readonly config: string;
  /** IDs of the jobs of all shards, in configured order. */
  readonly jobs: readonly string[];
}
