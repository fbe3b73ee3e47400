/** Messages about gates that need a person's trust, for stops, runs, `trust`, `status` and `doctor` (G24a). */
import { shownCommand } from "@/common/ownCommandName";

/** @param flag the option for a project on another machine, whose folder would say nothing on this one */
export function trustCommand(dir: string, flag = ""): string {
  return `"${shownCommand()} trust${flag}"${flag === "" ? ` in ${dir}` : ""}`;
}

/** @param fileNames names, joined for display */
export function changedSinceTrusted(fileNames: string, dir: string, flag?: string): string {
  return `${fileNames}: changed and not trusted yet, so the gates run as you trusted them; to use the change, run ${trustCommand(dir, flag)}`;
}

export const NOT_TRUSTED = "the gates of this project are not trusted";

export const NEVER_TRUSTED = "you have decided that the gates of this project do not run";

export const NO_RECORD = "without an absolute HOME there is no record of what you trust";

/** Returns the next step if gates are not trusted as they are. */
export function reviewAndTrust(flag = ""): string {
  return `run "${shownCommand()} trust${flag}" to see and allow their commands`;
}

/** Returns a notice that is shown once, for a project in which gates ran before they needed trust. */
export function trustedByEarlierUse(dir: string, flag = ""): string {
  return `gates need your trust now; those of ${dir} ran before, so they are trusted as they are; "${shownCommand()} trust --show${flag}" lists them`;
}

/** The prompt of `trust`, and of a run of gates that are not trusted. */
export const CONFIRM_GATES = "Trust these gates?";
