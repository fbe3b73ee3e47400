/** Which process this is, and whether another one still runs (G17). */
import { hostname } from "node:os";
import { errorCode } from "@/common/errors";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";

/** Tells a process from any other, also from a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In ticks since boot. Unknown where the kernel has no /proc. */
  readonly startTime?: string;
  /** Of the boot that the machine runs since. Unknown where the kernel has no /proc. */
  readonly boot?: string;
  readonly host: string;
}

type FileReader = Pick<Files, "readFile">;

/** @param host the files of the machine that this program itself runs on */
export async function currentProcess(host: FileReader): Promise<ProcessIdentity> {
  const { pid } = process;
  const [stat, boot] = await Promise.all([
    readProcess(host, pid),
    readText(host, "/proc/sys/kernel/random/boot_id"),
  ]);
  return {
    pid,
    ...(stat === undefined ? {} : { startTime: stat.startTime }),
    ...(boot === undefined ? {} : { boot: boot.trim() }),
    host: hostname(),
  };
}

/** Whether a process of this machine runs; with a start time, whether it is that very process. */
export async function isRunning(
  host: FileReader,
  pid: number,
  startTime?: string
): Promise<boolean> {
  if (!hasProcess(pid)) return false;
  // Where /proc is hidden from this user, that there is such a process is all that can be known.
  const found = await readProcess(host, pid);
  if (found === undefined) return hasProcess(pid);
  return !found.isDead && (startTime === undefined || found.startTime === startTime);
}

function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return errorCode(thrown) !== "ESRCH";
  }
}

interface ProcessStat {
  /** Ended, and not yet asked for by its parent. */
  readonly isDead: boolean;
  readonly startTime: string;
}

async function readProcess(host: FileReader, pid: number): Promise<ProcessStat | undefined> {
  const stat = await readText(host, `/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the program's name in brackets, and may hold brackets and blanks itself.
  const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTime = fields[18];
  return startTime === undefined ? undefined : { isDead: "ZX".includes(state), startTime };
}

async function readText(host: FileReader, path: string): Promise<string | undefined> {
  const read = await host.readFile(path, { maxBytes: 4 * KIB });
  return read.isOk() ? Buffer.from(read.value).toString("latin1") : undefined;
}
