/** Texts about the state file and the lock. Code that returns before a run loads this file. */

export function stateIgnored(path: string, why: string): string {
  return `${path} is ignored, so the results of earlier runs do not count: ${why}`;
}

export function stateNotJson(why: string): string {
  return `it is not JSON (${why})`;
}

export const STATE_NOT_OBJECT = "it is not a JSON object";

/** Describes a lock: `process 4711 on box, since 2026-01-25T16:00:00.000Z`. */
export function lockOf(owner: string, since: string): string {
  return `${owner}, since ${since}`;
}

/** @param host absent if the lock does not name it */
export function lockOwner(pid: number, host?: string): string {
  return `process ${pid}${host === undefined ? "" : ` on ${host}`}`;
}

export const UNKNOWN_OWNER = "an unknown program";

/** Appears if more runs than is plausible died while they took over the lock. */
export function tooManyStaleLocks(count: number, path: string): string {
  return `found ${count} locks of runs that no longer exist; if no run is in progress, remove the files ${path}*`;
}

/** Appears if a lock neither exists nor can be created. */
export const LOCK_NOT_USABLE =
  "the lock cannot be created or read; if it is a broken link, remove it";
