import { startGroupWatcher, unwatchGroup, watchGroup } from "@/node/runtime/process/groupWatcher";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";

const leaders = new Set<number>();

/** Whether the host has its exit listener: one for its life, not one per run. */
let isWatching = false;

/**
 * Starts the watcher. Must be called before a program is started, so that every group is watched.
 *
 * @param delayMs how long a program may run without it; the returned timer must be cleared when the program ends
 */
export function prepareToHold(delayMs = 0): NodeJS.Timeout | undefined {
  if (delayMs > 0) return setTimeout(prepareToHold, delayMs).unref();
  startGroupWatcher(leaders);
  return undefined;
}

/**
 * Kills a process group if the host ends before its program does. If a signal ends the host at once, the watcher ends
 * the group.
 */
export function holdGroup(leader: number): void {
  leaders.add(leader);
  watchGroup(leader);
  if (isWatching) return;
  isWatching = true;
  process.on("exit", () => {
    for (const held of leaders) new ProcessTree(held).signal("SIGKILL");
  });
}

/** Stops watching the group of a program that has ended. Its background processes may continue. */
export function letGoOfGroup(leader: number): void {
  leaders.delete(leader);
  unwatchGroup(leader);
}
