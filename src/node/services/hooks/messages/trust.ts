/** Messages about the trust in a project's hooks (H31, H32). */
import { ownCommand } from "@/common/ownCommand";

/** Why hooks of the checkout do not run. */
export const NOT_TRUSTED = 'the project is not trusted with "mux-stop-hooks hooks trust"';

/** The record only has the name of the project. */
export const TRUSTED_BY_OLDER_VERSION =
  "the project was trusted with an older version, which did not record the definitions of its hooks";

/**
 * @param count number of hooks that do not run; 0 if the checkout only has other settings
 * @param projectDir absolute, or the URL of a project on another machine
 */
export function untrusted(count: number, why: string, projectDir: string): string {
  const hooks = count === 1 ? "1 hook of this project does" : `${count} hooks of this project do`;
  const what =
    count === 0 ? "the hook settings of this project have no effect" : `${hooks} not run`;
  const next = isUrl(projectDir)
    ? `run "${ownCommand()} hooks trust --show --workspace ${projectDir}" to list what would run, and the same without --show to allow it`
    : `run "${ownCommand()} hooks trust --show" in ${projectDir} to list what would run, and "${ownCommand()} hooks trust" to allow it`;
  return `${what}: ${why}; ${next}`;
}

/** The trust policy of the host failed. */
export function trustUnknown(problem: string): string {
  return `the hooks of this project do not run, because its trust could not be checked: ${problem}`;
}

/** The checkout has other definitions than those that are trusted. */
export function definitionsNotTrusted(files: string, projectDir: string): string {
  const command = isUrl(projectDir)
    ? `"${ownCommand()} hooks trust --workspace ${projectDir}"`
    : `"${ownCommand()} hooks trust" in ${projectDir}`;
  return `${files}: changed and not trusted yet, so the hooks of the project run with the definitions that you trusted before; run ${command} to review and trust the change`;
}

/** The checkout has other trusted definitions, as on another branch. */
export function definitionsSwitched(files: string): string {
  return `${files}: changed since the hooks ran last; you have already trusted the new definitions, which take effect now`;
}

export const RESTARTED_WITH_RECORD =
  "the session was restarted during this turn, so the project's hooks run as they ran last until your next message";

export const RESTARTED_WITHOUT_RECORD =
  "the session was restarted during this turn, so the project's hooks run as they are configured now";

export const NO_RECORD_OF_TRUST =
  "the hooks of this project do not run: without an absolute HOME there is no record of what is trusted; set HOME";

// The record of trusted projects.

export function recordUnusable(path: string, problem: string): string {
  return `the record of trusted projects, ${path}, cannot be used: ${problem}; fix or remove it`;
}

/** @param limit such as `32 MiB` */
export function recordTooLarge(limit: string): string {
  return `larger than ${limit}`;
}

/** @param limit such as `32 MiB` */
export function recordWouldBeTooLarge(path: string, limit: string): string {
  return `${path} would be larger than ${limit}; run "${ownCommand()} hooks trust --only" to discard older definitions`;
}

function isUrl(projectDir: string): boolean {
  return !projectDir.startsWith("/");
}
