import { ProcessTree } from "@/node/runtime/process/ProcessTree";

const leaders = new Set<number>();

/** One listener for the life of the host, not one a run. */
let isWatching = false;

/**
 * Holds a process group for as long as its program runs: where the host ends first, the group is killed with it.
 * A host that dies of a signal that it does not handle gets no chance to.
 */
export function holdGroup(leader: number): void {
  leaders.add(leader);
  if (isWatching) return;
  isWatching = true;
  process.on("exit", () => {
    for (const held of leaders) new ProcessTree(held).signal("SIGKILL");
  });
}

/** The program is over; what it has left in the background may live on. */
export function letGoOfGroup(leader: number): void {
  leaders.delete(leader);
}
