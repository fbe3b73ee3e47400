/** Texts that several commands print: about files that cannot be used, about the end of a hook, and about trust. */

export function notReadable(path: string, why: string): string {
  return `${path} cannot be read: ${why}`;
}

export function notWritable(path: string, why: string): string {
  return `${path} cannot be written: ${why}`;
}

export const NO_USER_ROOT =
  "HOME is not an absolute path, so the log of hooks cannot be found; set HOME to an absolute path";

export const NO_HOOK_RAN = "no hook ran";

/** The words for the end of a hook that did not exit. */
export const ENDS = {
  timedOut: "timed out",
  cancelled: "cancelled",
  lost: "connection lost",
  notStarted: "not started",
} as const;

export function exited(code: number): string {
  return `exit ${code}`;
}

/** @param record the record that has the trust: of the project itself, or of the main checkout of a linked worktree */
export function trusted(record?: { readonly project: string; readonly path: string }): string {
  return record === undefined
    ? "Trusted."
    : `Trusted by the record of ${record.project} in ${record.path}.`;
}
