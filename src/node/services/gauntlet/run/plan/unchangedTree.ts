/** Limits a run on an unchanged tree to the gates that have not passed on it (G38). */
import { sha256 } from "@/common/hash";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { failuresDigest } from "@/node/services/gauntlet/domain/findings/failures";
import type { GateResult, Job } from "@/node/services/gauntlet/domain/gate";
import type { FailedTree } from "@/node/services/gauntlet/turn/TurnStore";
import type { StopCount } from "@/node/services/gauntlet/turn/StopSession";

type Compared = Pick<GitContext, "branch" | "head" | "baseCommit">;

/** Returns a digest of the tree, of what it is compared with, and of the configuration. */
export function treeDigest(
  { branch, head, baseCommit }: Compared,
  definition: string,
  snapshot: string
): string {
  return sha256(JSON.stringify([snapshot, branch, head, baseCommit ?? "", definition]), 32);
}

/**
 * Returns the number of failed stops of the user's turn, this one included, if all of them had this tree and these
 * failures; else 0 (G19).
 */
export function unchangedStops(
  { failed, failedTree: last, mayRelease = false }: StopCount,
  tree: string,
  gates: readonly GateResult[]
): number {
  if (!mayRelease) return 0;
  if (failed === 0) return 1;
  const isSame = last?.tree === tree && last.failures === failuresDigest(gates);
  return isSame && last.stops === failed ? failed + 1 : 0;
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
