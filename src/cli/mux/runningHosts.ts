/**
 * Finds the running Mux processes: those with hooks, by their status files, and the one that holds the server lock.
 * Also removes the status files of processes that have ended.
 */
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { CliPlace } from "@/cli/context";
import { firstLine } from "@/common/safeText";
import { parseObject } from "@/common/json";
import { userRoots } from "@/host/workspace/mayHaveHooks";
import { runningHostsIn } from "@/host/HostStatusFile";
import { runProgram } from "@/node/runtime/process/runProgram";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { isRunning } from "@/node/services/gauntlet/state/lock/processIdentity";

export type RunningHosts = Awaited<ReturnType<typeof findRunningHosts>>;

const PS_LIMIT_MS = 5_000;

/** Finds the running processes of Mux. Also removes the status files of hosts that were killed. */
export async function findRunningHosts(context: CliPlace) {
  // Two names may be links to one folder.
  const real = userRoots(context).map((root) => realpath(root).catch(() => root));
  const roots = [...new Set(await Promise.all(real))];
  const attached = roots.flatMap(runningHostsIn);
  const locks = await Promise.all(roots.map((root) => lockIn(root, context)));
  return { attached, lock: locks.find((found) => found !== undefined) };
}

/**
 * Returns the process of `server.lock`, which prevents a second server and by which editor extensions find the server.
 * Its command line is empty if unknown.
 */
async function lockIn(root: string, { cwd, env }: CliPlace) {
  const text = await readFile(join(root, "server.lock"), "utf8").catch(() => "");
  const { pid } = parseObject(text);
  if (typeof pid !== "number" || !(await isRunning(new LocalFiles(), pid))) return undefined;
  const ps = { file: "ps", args: ["-o", "args=", "-p", String(pid)], cwd, env };
  const ran = await runProgram(ps, { timeoutMs: PS_LIMIT_MS, keepBytes: 4_096 });
  return { pid, command: firstLine(ran.stdout.text).trim() };
}
