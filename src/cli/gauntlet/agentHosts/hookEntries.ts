/** The entries that `init` writes to the settings files of a host (G29). */
import type {
  HostFile,
  HostHookEntry,
  HostLimit,
  HostPlace,
} from "@/cli/gauntlet/agentHosts/types";

/** The time limit of the hook, in seconds. The default of some hosts is less than a run takes (G27c). */
const HOOK_LIMIT_S = 300;
const COMMAND = { type: "command" };

/** Returns the entry of the Stop hook. */
export function stopEntry(
  host: string,
  event: string,
  limit: HostLimit,
  commandKey = "command"
): HostHookEntry {
  return {
    event,
    args: `stop-hook --verify --host ${host} --limit ${HOOK_LIMIT_S}`,
    earlierArgs: [],
    handler: (command) => ({
      ...COMMAND,
      [commandKey]: command,
      [limit.field]: HOOK_LIMIT_S * limit.perSecond,
    }),
    limit,
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
