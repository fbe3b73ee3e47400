/**
 * Reads the kernel's process table, sends signals, and follows a process group together with the processes that have
 * left it, until none is left. Without /proc (macOS), only the group itself is known.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { errorCode, tryOr } from "@/common/errors";

/** One line of the kernel's process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Ended, but not yet reaped by its parent: it still has its number and its group. */
  readonly isDead: boolean;
  /** In ticks since boot. Distinguishes a process from a later one with the same number. */
  readonly startTime: string;
}

/**
 * Reads every process that this one can see. Returns undefined if the kernel has no /proc (macOS), or if the mounted
 * /proc belongs to another PID namespace, in which the numbers mean other processes. Reads synchronously, because a
 * table that is read piece by piece misses a child whose parent ends meanwhile. Takes some 10 µs per process.
 */
export function readProcessTable(): ProcessRow[] | undefined {
  return tryOr(() => {
    if (readlinkSync("/proc/self") !== String(process.pid)) return undefined;
    const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return ids.flatMap((id) => readProcess(Number(id)) ?? []);
  }, undefined);
}

/** Returns undefined if there is no process with that number. */
export function readProcess(pid: number): ProcessRow | undefined {
  return tryOr(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, and may itself contain parentheses and blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", parent, group, session] = fields;
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      isDead: "ZX".includes(state),
      startTime: fields[19] ?? "",
    };
  }, undefined);
}

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
  /** Undefined if there is no process table. */
  #members: readonly ProcessRow[] | undefined = [];

  constructor(private readonly leader: number) {
    this.look();
  }

  /** Finds the processes that have joined the tree. */
  look(): void {
    const rows = readProcessTable();
    const tree = new Set(this.#members?.filter(isAlive).map(({ pid }) => pid));
    for (const { pid, group, session } of rows ?? []) {
      if (group === this.leader || session === this.leader) tree.add(pid);
    }
    // A child may precede its parent in the table, so repeat until a round finds no more.
    for (let size = -1; size < tree.size;) {
      size = tree.size;
      for (const { pid, parent } of rows ?? []) if (tree.has(parent)) tree.add(pid);
    }
    this.#members = rows?.filter(({ pid, isDead }) => tree.has(pid) && !isDead);
  }

  signal(name: NodeJS.Signals): void {
    sendSignal(-this.leader, name);
    for (const member of this.#members ?? [])
      if (member.group !== this.leader && isAlive(member)) sendSignal(member.pid, name);
  }

  /** Returns whether no process is left. Reads the whole table only once all known processes have ended. */
  isGone(): boolean {
    if (this.#members?.some(isAlive)) return false;
    this.look();
    return this.#members === undefined ? !sendSignal(-this.leader, 0) : this.#members.length === 0;
  }
}

function isAlive({ pid, startTime }: ProcessRow): boolean {
  const now = readProcess(pid);
  return now !== undefined && !now.isDead && now.startTime === startTime;
}

/**
 * Sends a signal to a process, or to a group by its negative number; 0 only checks whether it exists.
 *
 * @returns whether there was a process to receive it
 */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (thrown) {
    return errorCode(thrown) !== "ESRCH"; // EPERM: alive, but owned by another user.
  }
}
