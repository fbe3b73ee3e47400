/** Texts that several files use. */

export function notPackaged(path: string): string {
  return `${path} is not a Mux desktop app: it has no resources/app.asar`;
}

// The state of the hooks in an app

export function stateOf(path: string, state: string): string {
  return `${path}: ${state}`;
}

export function notReadable(path: string, why: string): string {
  return `${path} cannot be read: ${why}`;
}

export function notWritable(path: string, why: string): string {
  return `${path} cannot be written: ${why}`;
}

export const NO_USER_ROOT =
  "HOME is not an absolute path, so the log of hooks cannot be found; set HOME to an absolute path";

// disable and enable

// list

// validate

// test

export const INTERRUPTED = "interrupted";

export const NO_HOOK_RAN = "no hook ran";

/** How a hook ended, if it did not exit. */
export const ENDS = {
  timedOut: "timed out",
  cancelled: "cancelled",
  lost: "connection lost",
  notStarted: "not started",
} as const;

export function exited(code: number): string {
  return `exit ${code}`;
}

// run

const NO_TERMINAL = "there is no terminal for the confirmation";

/** Appears if a change needs a confirmation. */
export const CONFIRM_IN_TERMINAL = `${NO_TERMINAL}; run the command in a terminal, or with --yes`;

export const SHOW_FIRST = `${NO_TERMINAL}; list the hooks with --show, then run the command in a terminal, or with --yes`;

/** @param record of the project itself, or of the main checkout of a linked worktree */
export function trusted(record?: { readonly project: string; readonly path: string }): string {
  return record === undefined
    ? "Trusted."
    : `Trusted by the record of ${record.project} in ${record.path}.`;
}
