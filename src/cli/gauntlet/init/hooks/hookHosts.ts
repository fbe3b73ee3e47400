/**
 * Lists all hosts whose hook `init` installs, and finds those on this machine, those that the project uses, and those
 * to preselect.
 */
import { posix } from "node:path";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import { kiloHost } from "@/cli/gauntlet/hosts/kilo/index";
import { muxHost } from "@/cli/gauntlet/hosts/mux/index";
import { opencodeHost } from "@/cli/gauntlet/hosts/opencode/index";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { findOnPath } from "@/node/runtime/process/startFailure";

export const HOOK_HOSTS: readonly HookHost[] = [...AGENT_HOSTS, opencodeHost, kiloHost, muxHost];

export interface HostPresence {
  /** Whether the host is on this machine. */
  readonly found: boolean;
  /** Whether the project has the folder of its settings. */
  readonly hasFolder: boolean;
}

/** Finds a host by its programs on PATH and by its folders. */
export async function findHost(
  { install: { programs, folders, ownFolders = [] } }: HookHost,
  { runtime, projectDir, home, env }: InitPlace
): Promise<HostPresence> {
  const lists = async (...paths: readonly string[]) =>
    (await Promise.all(paths.map((path) => runtime.list(path)))).filter((list) => list.isOk());
  const onPath = await Promise.all(programs.map((name) => findOnPath(name, env.PATH)));
  const own = [home, projectDir].flatMap((dir) => ownFolders.map((name) => posix.join(dir, name)));
  // The record of trust is in a folder of Mux, also without Mux.
  const isUsed = (await lists(...own)).some(
    ({ value }) => value.length === 0 || !value.every((name) => name.startsWith("hook-trust.json"))
  );
  return {
    found: isUsed || onPath.some((path) => path !== undefined),
    hasFolder: (await lists(...folders.map((name) => posix.join(projectDir, name)))).length > 0,
  };
}

/** Returns the hosts to preselect: those that the project uses, or the only one on this machine. */
export function preselect<T>(hosts: readonly (HostPresence & { readonly host: T })[]): T[] {
  const found = hosts.filter((host) => host.found);
  return found.filter(({ hasFolder }) => hasFolder || found.length === 1).map(({ host }) => host);
}
