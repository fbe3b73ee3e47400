/** Limits a run on an unchanged tree to the gates that have not passed on it (G38). */
import { sha256 } from "@/common/hash";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { FailedTree } from "@/node/services/gauntlet/turn/sessionRecord";

type Compared = Pick<GitContext, "branch" | "head" | "baseCommit">;

/** Returns a digest of the tree, of what it is compared with, and of the configuration. */
export function treeDigest(
  { branch, head, baseCommit }: Compared,
  definition: string,
  snapshot: string
): string {
  return sha256(JSON.stringify([snapshot, branch, head, baseCommit ?? "", definition]), 32);
}

/** Drops the jobs that passed at the last failed stop if the tree is the same. Unresolved ones are never dropped. */
export function withoutPassed(
  jobs: readonly Job[],
  tree: string,
  unresolved: readonly string[],
  last: FailedTree | undefined
): readonly Job[] {
  if (last?.tree !== tree || unresolved.length === 0) return jobs;
  const passed = new Set(last.passed);
  return jobs.filter(({ id }) => unresolved.includes(id) || !passed.has(id));
}
