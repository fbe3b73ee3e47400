import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** One line of the kernel's process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Ended, and not yet asked for by its parent: it still has its number and its group. */
  readonly isDead: boolean;
  /** In ticks since boot; tells a process from a later one with the same number. */
  readonly startTime: string;
}

/**
 * Every process that this one can see, or undefined where the kernel has no /proc (macOS), or where the one that
 * is mounted belongs to another PID namespace and so means others by its numbers. Read in one go, since a table that
 * is read bit by bit misses a child whose parent ends in between; some 10 µs a process.
 */
export function readProcessTable(): ProcessRow[] | undefined {
  try {
    if (readlinkSync("/proc/self") !== String(process.pid)) return undefined;
    return readdirSync("/proc").flatMap((name) => {
      const row = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
      return row ?? [];
    });
  } catch {
    return undefined;
  }
}

/** Undefined where there is no process of that number. */
export function readProcess(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in brackets, and may hold brackets and blanks itself.
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
  } catch {
    return undefined;
  }
}
