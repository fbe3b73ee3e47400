/** Whether an agent host is on this machine, and whether the project uses it. */
import { posix } from "node:path";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { findOnPath } from "@/node/runtime/process/findOnPath";

export interface HostPresence {
  /** Whether the host is on this machine. */
  readonly found: boolean;
  /** Whether the project has the folder of its settings. */
  readonly hasFolder: boolean;
}

export interface HostSigns {
  /** The names of its program on PATH. */
  readonly programs: readonly string[];
  /** The folders of its settings in a project. */
  readonly folders: readonly string[];
  /** Folders in the home or in the project that are a sign of the host without a program on PATH. */
  readonly ownFolders?: readonly string[];
}

export async function findHost(
  { programs, folders, ownFolders = [] }: HostSigns,
  { runtime, projectDir, home, env }: InitPlace
): Promise<HostPresence> {
  const hasOne = async (paths: readonly string[]): Promise<boolean> =>
    (await runtime.stat(paths)).some((stat) => stat.kind === "directory");
  // The record of trust is in a folder of Mux, also without Mux.
  const isUsed = async (paths: readonly string[]): Promise<boolean> => {
    const lists = await Promise.all(paths.map((path) => runtime.list(path)));
    return lists.some(
      (list) =>
        list.isOk() && (list.value.length === 0 || list.value.some((name) => !isRecord(name)))
    );
  };
  const onPath = await Promise.all(programs.map((name) => findOnPath(name, env.PATH)));
  const own = [home, projectDir].flatMap((dir) => ownFolders.map((name) => posix.join(dir, name)));
  return {
    found: onPath.some((path) => path !== undefined) || (await isUsed(own)),
    hasFolder: await hasOne(folders.map((name) => posix.join(projectDir, name))),
  };
}

function isRecord(name: string): boolean {
  return name.startsWith("hook-trust.json");
}

/** Returns the hosts to preselect: those that the project uses, or the only one on this machine. */
export function preselect<T>(hosts: readonly (HostPresence & { readonly host: T })[]): T[] {
  const found = hosts.filter((host) => host.found);
  const selected = found.length === 1 ? found : found.filter(({ hasFolder }) => hasFolder);
  return selected.map(({ host }) => host);
}
