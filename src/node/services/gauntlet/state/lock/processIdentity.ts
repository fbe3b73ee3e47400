/**
 * Identifies this process and the agent that started it, and checks whether a recorded process is still running, so
 * that locks and sessions of ended processes are recognized (G17, G18).
 */
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode, tryOr } from "@/common/errors";
import { objectOf } from "@/common/json";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";

/** Distinguishes a process from any other, including a later one with the same ID. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In ticks since boot. Unknown if the kernel has no /proc. */
  readonly startTime?: string;
  /** ID of the machine's current boot. Unknown if the kernel has no /proc. */
  readonly boot?: string;
  readonly host: string;
  /** The namespace that its ID belongs to: a container of the machine has its own. Unknown without /proc. */
  readonly namespace?: string;
}

type FileReader = Pick<Files, "readFile">;

const SMALL = { maxBytes: 4 * KIB };

/**
 * Returns the identity of this process.
 *
 * @param host files of the machine on which this program runs
 */
export async function currentProcess(host: FileReader): Promise<ProcessIdentity> {
  const namespace = tryOr(() => readlinkSync("/proc/self/ns/pid"), undefined);
  const own = { pid: process.pid, host: hostname(), namespace };
  const [stat, boot] = await Promise.all([
    readProcess(host, own.pid),
    readText(host, "/proc/sys/kernel/random/boot_id", SMALL),
  ]);
  return { ...own, startTime: stat?.startTime, boot: boot?.trim() };
}

/** Matches programs between an agent and its hook. They end with the hook. */
const BETWEEN = /^(?:(?:ba|da|z|k|a|fi)?sh|busybox|env|timeout|nice|npm|npx|pnpm)\b/;
const MAX_BETWEEN = 8;

/** Returns the agent that has started this process, or undefined without /proc. */
export async function startingProcess(host: FileReader): Promise<ProcessIdentity | undefined> {
  const own = await currentProcess(host);
  if (own.boot === undefined || own.namespace === undefined) return undefined;
  let pid = process.ppid;
  for (let i = 0; i < MAX_BETWEEN && pid > 1; i += 1) {
    const found = await readProcess(host, pid);
    if (found === undefined) return undefined;
    if (!BETWEEN.test(found.name)) return { ...own, pid, startTime: found.startTime };
    pid = found.parent;
  }
  return undefined;
}

/** Returns whether a recorded process has provably ended. One that cannot be seen from here has not. */
export async function hasEnded(host: FileReader, recorded: unknown): Promise<boolean> {
  const { pid, startTime, boot, namespace, host: machine } = objectOf(recorded);
  if (typeof pid !== "number" || typeof startTime !== "string" || typeof boot !== "string") {
    return false;
  }
  const here = await currentProcess(host);
  if (machine !== here.host || here.boot === undefined) return false;
  if (boot !== here.boot) return true;
  return namespace === here.namespace && !(await isRunning(host, pid, startTime));
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

/** Returns whether a process of this machine provably started after a time, so that it did not act at that time. */
export async function startedAfter(
  host: FileReader,
  pid: number,
  timeMs: number
): Promise<boolean> {
  const found = await readProcess(host, pid);
  const kernel = await readText(host, "/proc/stat", { maxBytes: 256 * KIB });
  const boot = /^btime (\d+)$/m.exec(kernel ?? "")?.[1];
  if (found === undefined || boot === undefined) return false;
  const startMs = (Number(boot) + Number(found.startTime) / TICKS_PER_S) * 1000;
  return startMs > timeMs + START_SLACK_MS;
}

/** The ticks in which /proc counts times, on every platform of Node. */
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

/** Returns the facts about a process. `isDead`: it ended, and its parent has not reaped it yet. */
async function readProcess(host: FileReader, pid: number) {
  const stat = await readText(host, `/proc/${pid}/stat`, SMALL);
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses, which may itself contain parentheses and spaces.
  const end = stat.lastIndexOf(")");
  const [state = "", parent, ...fields] = stat.slice(end + 2).split(" ");
  const startTime = fields[17];
  if (startTime === undefined) return undefined;
  const name = stat.slice(stat.indexOf("(") + 1, end);
  return { name, parent: Number(parent), isDead: "ZX".includes(state), startTime };
}
