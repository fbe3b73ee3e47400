import {
  readProcess,
  readProcessTable,
  type ProcessRow,
} from "@/node/runtime/process/processTable";
import { sendSignal } from "@/node/runtime/process/sendSignal";

/**
 * A process group, and what has left it: `timeout 60 …` and a job of `set -m` lead groups of their own, `setsid`
 * a session. A stray is known by the session that the leader leads, or by its parents while they live; so the first
 * look is before the first signal. What has left the session and lost its parent before that is out of reach.
 *
 * Only the kernel's table tells strays from strangers, and the dead that nobody has buried yet from the living.
 * Without it (macOS) the tree is the group.
 */
export class ProcessTree {
  readonly #leader: number;
  /** Undefined where there is no table. */
  #members: readonly ProcessRow[] | undefined = [];

  constructor(leader: number) {
    this.#leader = leader;
    this.look();
  }

  /** Finds those who have joined. */
  look(): void {
    const rows = readProcessTable();
    const known = this.#members?.filter(isAlive).map(({ pid }) => pid);
    const tree = new Set(known);
    for (const { pid, group, session } of rows ?? []) {
      if (group === this.#leader || session === this.#leader) tree.add(pid);
    }
    // A child may stand before its parent in the table, so until a round finds nobody.
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

  /** Reads the whole table only once all who are known have ended. */
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
