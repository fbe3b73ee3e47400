/** Messages about the trust in a project's hooks (H31, H32). */
import { ownCommand } from "@/common/ownCommand";

/** Why hooks of the checkout do not run. */
export const NOT_TRUSTED = 'the project is not trusted with "mux-stop-hooks hooks trust"';

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

/** The checkout has other definitions than those that are trusted. */
export function definitionsNotTrusted(files: string, projectDir: string): string {
  const command = isUrl(projectDir)
    ? `"${ownCommand()} hooks trust --workspace ${projectDir}"`
    : `"${ownCommand()} hooks trust" in ${projectDir}`;
  return `${files}: changed and not trusted yet, so the hooks of the project run with the definitions that you trusted before; run ${command} to review and trust the change`;
}

export const RESTARTED_WITHOUT_RECORD =
  "the session was restarted during this turn, so the project's hooks run as they are configured now";

// The record of trusted projects.

function isUrl(projectDir: string): boolean {
  return !projectDir.startsWith("/");
}
