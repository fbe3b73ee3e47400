/**
 * Defines `GitContext`, the facts about the repository of a run that all calls of git use, such as folders, HEAD and
 * base. Also names the refs that hold its snapshots and its starting commit.
 */
import { sha256 } from "@/common/hash";
import type { OutputRule } from "@/node/services/gauntlet/domain/outputRules";

/** The repository of a run: its folders, HEAD, and the base with which the work is compared. */
export interface GitContext {
  /** Absolute: the folder in which git runs and to which paths are relative. */
  readonly projectDir: string;
  /** Absolute: the top of the working tree. */
  readonly root: string;
  /** Path from `root` to the project: empty, or such as `packages/app/`. */
  readonly prefix: string;
  /** Git folder of this working tree. `commonDir` is that of the repository; they differ only in a linked worktree. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Absolute: the folder for what git writes, if the git folder cannot be written. Nothing is recorded then. */
  readonly scratch?: string;
  /** `HEAD` if detached. */
  readonly branch: string;
  /** Absent before the first commit. */
  readonly head?: string;
  readonly headTree?: string;
  /** The revision with which the work is compared, such as `origin/main`. Absent if no base branch was found. */
  readonly baseRef?: string;
  /** `baseRef` as an unambiguous revision: the full name if the short one is ambiguous (G20c). */
  readonly baseRevision?: string;
  /** The commit where the branch left `baseRef`, or its tip if the two share no commit. */
  readonly baseCommit?: string;
  /** The starting commit, if one was recorded before the repository was opened (G20b). */
  readonly start?: string;
  /** Whether the starting commit was only just recorded, so that earlier commits were not compared (G20b). */
  readonly isFirstLook?: boolean;
  /** Whether the base branch contains every commit of HEAD. */
  readonly headInBase: boolean;
  /** ID of the tree without files, which git accepts even if the repository does not contain it. */
  readonly emptyTree: string;
  /** Snapshots that refs of this project held when the repository was opened. None before the first commit. */
  readonly keptSnapshots: readonly string[];
  /** Rules for the untracked files that no snapshot includes (G20c). Absent: none. */
  readonly outputs?: readonly OutputRule[];
  /** Warnings for the user, such as a base branch that does not exist. */
  readonly warnings: readonly string[];
  /** Ends every git process of this run. */
  readonly signal?: AbortSignal;
}

/** Refs of the snapshots. They belong to the working tree, so clone and fetch do not transfer them (G9a). */
export const SNAPSHOT_REFS = "refs/worktree/agent-gauntlet";

/** Returns the folder of the refs of one project. Another project of the working tree does not drop them. */
export function snapshotRefs(prefix: string): string {
  return prefix === "" ? SNAPSHOT_REFS : `${SNAPSHOT_REFS}/${sha256(prefix, 12)}`;
}

/** Ref of the commit with which work on the base branch is compared (G20b). */
export const START_REF = `${SNAPSHOT_REFS}/start`;
