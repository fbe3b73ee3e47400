import {
  readProcess,
  readProcessTable,
  type ProcessRow,
} from "@/node/runtime/process/processTable";
import { sendSignal } from "@/node/runtime/process/sendSignal";

/**
 * A process group, and the processes that have left it: `timeout 60 …` and a job of `set -m` lead groups of their own,
 * `setsid` a session. A process that has left is found by the session that the leader leads, or by its parents while
 * they run; so the process table is read before the first signal. A process that left the session and lost its parent
 * before that is not found.
 *
 * Only the kernel's process table distinguishes these processes from unrelated ones, and zombies from running
 * processes. Without it (macOS) the tree is the group.
 */
export class ProcessTree {
  readonly #leader: number;
  /** Undefined if there is no process table. */
  #members: readonly ProcessRow[] | undefined = [];

  constructor(leader: number) {
    this.#leader = leader;
    this.look();
  }

  /** Finds the processes that have joined the tree. */
  look(): void {
    const rows = readProcessTable();
    const known = this.#members?.filter(isAlive).map(({ pid }) => pid);
    const tree = new Set(known);
    for (const { pid, group, session } of rows ?? []) {
      if (group === this.#leader || session === this.#leader) tree.add(pid);
    }
    // A child may precede its parent in the table, so repeat until a round finds no more.
    for (let size = -1; size < tree.size;) {
      size = tree.size;
      for (const { pid, parent } of rows ?? []) if (tree.has(parent)) tree.add(pid);
    }
    this.#members = rows?.filter(({ pid, isDead }) => tree.has(pid) && !isDead);
  }

  signal(name: NodeJS.Signals): void {
    sendSignal(-this.#leader, name);
    for (const { pid, group } of this.#members ?? []) {
      if (group !== this.#leader) sendSignal(pid, name);
    }
  }

  /** Returns whether no process is left. Reads the whole table only once all known processes have ended. */
  isGone(): boolean {
    if (this.#members?.some(isAlive)) return false;
    this.look();
    return this.#members === undefined ? !sendSignal(-this.#leader, 0) : this.#members.length === 0;
  }
}

function isAlive({ pid, startTime }: ProcessRow): boolean {
  const now = readProcess(pid);
  return now !== undefined && !now.isDead && now.startTime === startTime;
}
