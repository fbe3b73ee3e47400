/** The entries that `init` writes to the settings files of a host (G29). */
import type { HostFile, HostHookEntry, HostLimit, HostPlace } from "@/cli/gauntlet/hosts/types";
import type { JsonObject } from "@/common/json";

/** The time limit of the hook, in seconds. The default of some hosts is less than a run takes (G27c). */
export const HOOK_LIMIT_S = 300;

/**
 * Returns the entry of the Stop hook.
 *
 * @param more fields of the handler besides its command and its time limit
 */
export function stopEntry(
  host: string,
  event: string,
  limit: HostLimit,
  more: JsonObject = {},
  wantedS = HOOK_LIMIT_S
): HostHookEntry {
  const limitS = Math.min(wantedS, limit.maxS ?? Infinity);
  const perSecond = limitS >= (limit.millisecondsFrom ?? Infinity) ? 1_000 : limit.perSecond;
  return {
    event,
    args: `stop-hook --verify --host ${host} --limit ${limitS}`,
    earlierArgs: [],
    fields: { [limit.field]: limitS * perSecond, ...more },
    limit,
    withLimit: (seconds) => stopEntry(host, event, limit, more, seconds),
  };
}

/** Returns the entry that records the start of a user's turn. */
export function turnStartEntry(event: string): HostHookEntry {
  return { event, args: "turn-start", earlierArgs: [], fields: {} };
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
