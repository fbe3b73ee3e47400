/** Messages of `mux-stop-hooks hooks trust`, and of prompts. */
import { ownCommand } from "@/common/ownCommand";

const NO_TERMINAL = "there is no terminal for the confirmation";

/** Appears if a change needs a confirmation. */
export const CONFIRM_IN_TERMINAL = `${NO_TERMINAL}; run the command in a terminal, or with --yes`;

export const SHOW_FIRST = `${NO_TERMINAL}; list the hooks with --show, then run the command in a terminal, or with --yes`;

export const ANSWER_Y_OR_N = "Please answer y or n.";

/**
 * @param variable an environment variable that is set for programs started by an agent
 * @param command such as `trust`
 */
export function startedByAgent(variable: string, command: string): string {
  return `${variable} is set, so a hook or an agent started this command; run "${ownCommand()} hooks ${command}" in your own terminal`;
}

export const NO_RECORD =
  "HOME is not an absolute path, so the record of trusted projects cannot be found; set HOME to an absolute path";

export function nothingToTrust(name: string): string {
  return `${name} has no hooks that would run, so there is nothing to trust.`;
}

/** Precedes the list of hooks. */
export function wouldRun(name: string): string {
  return `${name} would run:`;
}

export function wouldNotRun(name: string): string {
  return `${name} has no hooks that would run.`;
}

export const CHANGES = "Changes since it was trusted:";

export const COVERED =
  "If these definitions change, you have to trust the change; until then the hooks run with the definitions that you trusted before.\n" +
  "The files that a command names (programs, tests, make targets) are not covered: their current content runs.";

export const CONFIRM_TRUST = "Trust these hooks?";
export const NOT_RECORDED = "Nothing was recorded; the trust of the project is unchanged.";

/** @param record of the project itself, or of the main checkout of a linked worktree */
export function trusted(record?: { readonly project: string; readonly path: string }): string {
  return record === undefined
    ? "Trusted."
    : `Trusted by the record of ${record.project} in ${record.path}.`;
}

export function notTrusted(why: string): string {
  return `Not trusted: ${why}`;
}

export function trustRecorded(path: string): string {
  return `Trusted from your next message on, as recorded in ${path}. To revoke it, run "${ownCommand()} hooks trust --revoke".`;
}

export function trustRevoked(name: string): string {
  return `From your next message on, ${name} is no longer trusted. A turn that is running keeps its hooks.`;
}

/** A linked worktree cannot give up the trust that it has from its main checkout. */
export function trustedByMain(name: string, main: string): string {
  return `${name} is a worktree of ${main} and has its trust; run "${ownCommand()} hooks trust --revoke" in ${main} to revoke it for both`;
}

export function wasNotTrusted(name: string): string {
  return `${name} is not trusted, so there is nothing to revoke.`;
}
