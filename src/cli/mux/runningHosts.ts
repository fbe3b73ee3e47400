/**
 * Finds the running Mux processes: those with hooks, by their status files, and the one that holds the server lock.
 * Also removes the status files of processes that have ended.
 */
import { readdir, readFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CliPlace } from "@/cli/context";
import { firstLine } from "@/common/safeText";
import { isJsonObject, parseObject, type JsonObject } from "@/common/json";
import { userRoots } from "@/host/workspace/mayHaveHooks";
import { type HostStatus, STATUS_FOLDER } from "@/host/HostStatusFile";
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
  const attached = (await Promise.all(roots.map(attachedIn))).flat();
  const locks = await Promise.all(roots.map((root) => lockIn(root, context)));
  return { attached, lock: locks.find((found) => found !== undefined) };
}

async function attachedIn(root: string): Promise<HostStatus[]> {
  const folder = join(root, STATUS_FOLDER);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const status = parseObject(await readFile(file, "utf8").catch(() => ""));
      if (!isStatus(status)) return undefined;
      if (await isRunning(new LocalFiles(), status.pid, status.startTime)) return status;
      await rm(file, { force: true }).catch(() => undefined);
      return undefined;
    })
  );
  return found.filter((status) => status !== undefined);
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

function isStatus(value: JsonObject): value is HostStatus & JsonObject {
  return (
    typeof value.pid === "number" &&
    (value.startTime === undefined || typeof value.startTime === "string") &&
    typeof value.startedAt === "string" &&
    typeof value.plugin === "string" &&
    isJsonObject(value.host) &&
    typeof value.host.version === "string" &&
    typeof value.host.dist === "string" &&
    isJsonObject(value.seams)
  );
}
