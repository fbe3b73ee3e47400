import { startGroupWatcher, unwatchGroup, watchGroup } from "@/node/runtime/process/groupWatcher";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";

const leaders = new Set<number>();

/** Whether the host has its exit listener: one for its life, not one per run. */
let isWatching = false;

/** Starts the watcher. Must be called before a program is started, so that every group is watched. */
export function prepareToHold(): void {
  startGroupWatcher(leaders);
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
