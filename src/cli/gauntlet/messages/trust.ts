/** Messages about gates that need a person's trust (G24a). */
import { ownCommand } from "@/common/ownCommand";

const trustCommand = (): string => `"${ownCommand()} trust"`;

/** @param files a list of names */
export function runsOldForm(files: string, dir: string): string {
  return `${files}: changed and not trusted yet, so the gates run as you trusted them; to use the change, run ${trustCommand()} in ${dir}`;
}

/** @param dir the project whose gates run instead */
export function nestedNotTrusted(nested: string, dir: string): string {
  return `${nested}/.gauntlet is not trusted, so the gates of ${dir} run; to use it, run ${trustCommand()} in ${nested}`;
}

export const NOT_TRUSTED = "the gates of this project are not trusted";

export const NEVER_TRUSTED = "you have decided that the gates of this project do not run";

export const NO_RECORD = "without an absolute HOME there is no record of what you trust";

/** The next step, if gates are not trusted as they are. */
export function reviewAndTrust(): string {
  return `run ${trustCommand()} to see and allow their commands`;
}

/** A caveat of a stop in a project without trust. */
export function changesNotVerified(dir: string): string {
  return `the changes were not verified; run ${trustCommand()} in ${dir} to see and allow its commands, or "${ownCommand()} trust --never"`;
}

/** Shown once, for a project in which gates ran before they needed trust. */
export function trustedByEarlierUse(dir: string): string {
  return `gates need your trust now; those of ${dir} ran before, so they are trusted as they are; "${ownCommand()} trust --show" lists them`;
}

/** @param dir absolute, or the URL of a folder on another machine */
export function trustFirst(why: string, dir: string): string {
  const place = dir.startsWith("/") ? ` in ${dir}` : "";
  return `${why}, so nothing was run; run ${trustCommand()}${place} to see and allow its commands`;
}

// The command `trust`, and the question before a run.

export const CONFIRM_GATES = "Trust these gates?";
