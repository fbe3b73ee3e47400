import { startGroupWatcher, unwatchGroup, watchGroup } from "@/node/runtime/process/groupWatcher";
import { ProcessTree } from "@/node/runtime/process/ProcessTree";

const leaders = new Set<number>();

/** One listener for the life of the host, not one a run. */
let isWatching = false;

/** To be called before a program is started, so that no group is without its watcher. */
export function prepareToHold(): void {
  startGroupWatcher(leaders);
}

/**
 * Holds a process group for as long as its program runs: where the host ends first, the group is killed with it. Where
 * a signal ends the host at once, the watcher does that.
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

/** The program is over; what it has left in the background may live on. */
export function letGoOfGroup(leader: number): void {
  leaders.delete(leader);
  unwatchGroup(leader);
}
