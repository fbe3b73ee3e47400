import { setTimeout as delay } from "node:timers/promises";
import { KILL_GRACE_MS } from "@/common/limits";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";
import { exitOrStop } from "@/node/runtime/process/waitForExit";

/** How long killed processes may take to disappear. One that waits for a failed disk never does. */
const KILLED_MS = 250;

/**
 * Ends a process group and the processes that have left it: SIGTERM, and SIGKILL for those left after the grace period
 * (H21), whether the leader is one of them or not. Resolves once none is left, at the latest a little after the
 * SIGKILL.
 */
export async function terminate(group: ProcessGroup): Promise<void> {
  const tree = new ProcessTree(group.leader);
  tree.signal("SIGTERM");
  if (await isGoneWithin(KILL_GRACE_MS, tree, group)) return;
  tree.look();
  tree.signal("SIGKILL");
  await isGoneWithin(KILLED_MS, tree, group);
}

async function isGoneWithin(
  ms: number,
  tree: ProcessTree,
  { exited }: ProcessGroup
): Promise<boolean> {
  const deadline = performance.now() + ms;
  await exitOrStop(exited, { timeoutMs: ms });
  // The end of a process that is not a child emits no event, so poll: at first often, then less.
  for (let pause = 1; !tree.isGone(); pause = Math.min(2 * pause, 25)) {
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await delay(Math.min(pause, left));
  }
  return true;
}
