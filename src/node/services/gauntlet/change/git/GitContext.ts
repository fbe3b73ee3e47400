/** What a run knows of its repository. */
export interface GitContext {
  /** Where git is run and what paths are relative to; absolute. */
  readonly projectDir: string;
  /** The top of the working tree; absolute. */
  readonly root: string;
  /** From `root` to the project: empty, or `packages/app/`. */
  readonly prefix: string;
  /** Of this working tree, and of the repository: two folders in a linked worktree only. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** `HEAD` where detached. */
  readonly branch: string;
  /** Absent where there is no commit yet. */
  readonly head?: string;
  readonly headTree?: string;
  /** What the work is compared with, as a name that git takes: `origin/main`. Absent where no base branch was found. */
  readonly baseRef?: string;
  /** `baseRef` as git resolves it without a doubt: a full name where the short one is ambiguous (G20c). */
  readonly baseRevision?: string;
  /** Where the branch left `baseRef`; its tip where the two share no commit. */
  readonly baseCommit?: string;
  /** The starting commit, where one was recorded before the repository was opened (G20b). */
  readonly start?: string;
  /** Whether the starting commit was made just now, so that earlier commits were not compared with anything (G20b). */
  readonly isFirstLook?: boolean;
  /** Whether the base branch holds all that is committed here. */
  readonly headInBase: boolean;
  /** The ID of a tree without a file, which git knows without having it. */
  readonly emptyTree: string;
  /** Snapshots that refs held when the repository was opened. */
  readonly keptSnapshots: readonly string[];
  /** What a person should know, such as a base branch that does not exist. */
  readonly warnings: readonly string[];
  /** Ends every git of this run. */
  readonly signal?: AbortSignal;
}

/** Snapshots live under refs of the working tree's own, which no clone or fetch carries away (G9a). */
export const SNAPSHOT_REFS = "refs/worktree/agent-gauntlet";
/** The commit that work on the base branch is compared with (G20b). */
export const START_REF = `${SNAPSHOT_REFS}/start`;
