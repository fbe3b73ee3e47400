/** Messages about gates that need a person's trust (G24a). */
import { ownCommand } from "@/common/ownCommand";

const trustCommand = (): string => `"${ownCommand()} trust"`;

/** @param files a list of names */
export function runsOldForm(files: string, dir: string): string {
  return `${files}: changed and not trusted yet, so the gates run as you trusted them; to use the change, run ${trustCommand()} in ${dir}`;
}

export function runsOldFormOfRemoved(dir: string): string {
  return `${dir}/.gauntlet was removed in this turn; its gates run as you trusted them; restore it`;
}

/** @param dir the project whose gates run instead */
export function nestedNotTrusted(nested: string, dir: string): string {
  return `${nested}/.gauntlet is not trusted, so the gates of ${dir} run; to use it, run ${trustCommand()} in ${nested}`;
}

export const NOT_TRUSTED = "the gates of this project are not trusted";
export const NEVER_TRUSTED = "you have decided that the gates of this project do not run";
export const TRUSTED_IN_TURN =
  "the gates of this project were trusted during this turn, and count from your next message";
export const NO_RECORD = "without an absolute HOME there is no record of what you trust";

export const OLD_FORM_RUNS =
  ".gauntlet/ has changed since you trusted it, so stops run the gates as they were";

/** The next step, if gates are not trusted as they are. */
export function reviewAndTrust(): string {
  return `run ${trustCommand()} to see and allow their commands`;
}

/** A caveat of a stop in a project without trust. */
export function changesNotVerified(dir: string): string {
  return `the changes were not verified; run ${trustCommand()} in ${dir} to see and allow its commands, or "${ownCommand()} trust --never"`;
}

export const CHANGES_WAIT = "the changes were not verified";

/** Shown once, for a project in which gates ran before they needed trust. */
export function trustedByEarlierUse(dir: string): string {
  return `gates need your trust now; those of ${dir} ran before, so they are trusted as they are; "${ownCommand()} trust --show" lists them`;
}

export const TRUST_SKIPPED =
  "MUX_HOOKS_TRUST=always is set, so gates run without your trust, and changes of them count at once";

/** @param file the file of the project that contains the name */
export function variableFromProject(file: string): string {
  return `MUX_HOOKS_TRUST=always does not count, because ${file} of the project names it`;
}

/** @param dir absolute, or the URL of a folder on another machine */
export function trustFirst(why: string, dir: string): string {
  const place = dir.startsWith("/") ? ` in ${dir}` : "";
  return `${why}, so nothing was run; run ${trustCommand()}${place} to see and allow its commands`;
}

// The command `trust`, and the question before a run.

export const CONFIRM_GATES = "Trust these gates?";

export const NOTHING_RECORDED = "Nothing was recorded.";

export function gatesTrusted(path: string): string {
  return `Trusted from your next message on, as recorded in ${path}.`;
}

export function noneWaiting(): string {
  return "No stop waits for trust.";
}

export function neverRuns(name: string): string {
  return `The gates of ${name} will not run, and no stop will mention them.`;
}

export function forgotten(name: string): string {
  return `${name} is not trusted any more.`;
}

export const IS_TRUSTED = "Trusted.";
export const IS_NOT_TRUSTED = "Not trusted.";
