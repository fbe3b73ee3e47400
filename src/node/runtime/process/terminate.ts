import { setTimeout as delay } from "node:timers/promises";
import { KILL_GRACE_MS } from "@/common/limits";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";
import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";
import { exitOrStop } from "@/node/runtime/process/waitForExit";

/** How long the killed may take to vanish; one that waits for a dead disk never does. */
const KILLED_MS = 250;

/**
 * Ends a process group and what has left it: SIGTERM, and SIGKILL for whoever is there after the grace (H21),
 * whether its leader is or not. Resolves once nobody is left, at the latest a little after the SIGKILL.
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
  // The end of a process that is not our child is no event, so ask: at first often, then less.
  for (let pause = 1; !tree.isGone(); pause = Math.min(2 * pause, 25)) {
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await delay(Math.min(pause, left));
  }
  return true;
}
