/** Identifies this process, and checks whether another one is still running (G17). */
import { hostname } from "node:os";
import { errorCode } from "@/common/errors";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";

/** Distinguishes a process from any other, including a later one with the same ID. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In ticks since boot. Unknown if the kernel has no /proc. */
  readonly startTime?: string;
  /** ID of the machine's current boot. Unknown if the kernel has no /proc. */
  readonly boot?: string;
  readonly host: string;
}

type FileReader = Pick<Files, "readFile">;

/**
 * Returns the identity of this process.
 *
 * @param host files of the machine on which this program runs
 */
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

/** Returns whether a process of this machine is running. With a start time, it must be that same process. */
export async function isRunning(
  host: FileReader,
  pid: number,
  startTime?: string
): Promise<boolean> {
  if (!hasProcess(pid)) return false;
  // If /proc is hidden from this user, only the existence of the process can be known.
  const found = await readProcess(host, pid);
  if (found === undefined) return hasProcess(pid);
  return !found.isDead && (startTime === undefined || found.startTime === startTime);
}

/** Returns whether a process of this machine provably started after a time, so that it cannot have acted at that time. */
export async function startedAfter(
  host: FileReader,
  pid: number,
  timeMs: number
): Promise<boolean> {
  const found = await readProcess(host, pid);
  const boot = /^btime (\d+)$/m.exec((await readText(host, "/proc/stat", 256 * KIB)) ?? "")?.[1];
  if (found === undefined || boot === undefined) return false;
  const startMs = (Number(boot) + Number(found.startTime) / TICKS_PER_S) * 1000;
  return startMs > timeMs + START_SLACK_MS;
}

/** Of the times in /proc, on every platform of Node. */
const TICKS_PER_S = 100;
/** The time of the boot has whole seconds. */
const START_SLACK_MS = 2_000;

function hasProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return errorCode(thrown) !== "ESRCH";
  }
}

interface ProcessStat {
  /** Ended, but not yet reaped by its parent. */
  readonly isDead: boolean;
  readonly startTime: string;
}

async function readProcess(host: FileReader, pid: number): Promise<ProcessStat | undefined> {
  const stat = await readText(host, `/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses, which may itself contain parentheses and spaces.
  const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startTime = fields[18];
  return startTime === undefined ? undefined : { isDead: "ZX".includes(state), startTime };
}

async function readText(
  host: FileReader,
  path: string,
  maxBytes = 4 * KIB
): Promise<string | undefined> {
  const read = await host.readFile(path, { maxBytes });
  return read.isOk() ? Buffer.from(read.value).toString("latin1") : undefined;
}
