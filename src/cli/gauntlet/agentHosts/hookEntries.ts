/** The entries that `init` writes to the settings files of a host (G29). */
import type {
  HostFile,
  HostHookEntry,
  HostLimit,
  HostPlace,
} from "@/cli/gauntlet/agentHosts/types";

/** The time limit of the hook, in seconds. The default of some hosts is less than a run takes (G27c). */
export const HOOK_LIMIT_S = 300;
const COMMAND = { type: "command" };

/** Returns the entry of the Stop hook. */
export function stopEntry(
  host: string,
  event: string,
  limit: HostLimit,
  commandKey = "command",
  limitS = HOOK_LIMIT_S
): HostHookEntry {
  return {
    event,
    args: `stop-hook --verify --host ${host} --limit ${limitS}`,
    earlierArgs: [],
    handler: (command) => ({
      ...COMMAND,
      [commandKey]: command,
      [limit.field]:
        limitS * (limitS >= (limit.millisecondsFrom ?? Infinity) ? 1_000 : limit.perSecond),
    }),
    limit,
    withLimit: (seconds) => stopEntry(host, event, limit, commandKey, seconds),
  };
}

/** Returns the entry that records the start of a user's turn. */
export function turnStartEntry(event: string, commandKey = "command"): HostHookEntry {
  return {
    event,
    args: "turn-start",
    earlierArgs: [],
    handler: (command) => ({ ...COMMAND, [commandKey]: command }),
  };
}

/** Returns the file of a user and the one of a project, for a host without a personal file in the project. */
export function userAndProject(
  { projectDir }: HostPlace,
  userFolder: string,
  projectFolder: string,
  name: string
): readonly HostFile[] {
  return [
    { path: `${userFolder}/${name}`, isShared: false, targetOf: ["personal"] },
    { path: `${projectDir}/${projectFolder}/${name}`, isShared: true, targetOf: ["shared"] },
  ];
}
