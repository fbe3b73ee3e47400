/** Texts of the commands `pause` and `resume` (G42). */
import { ownCommand } from "@/common/ownCommand";

export const NO_REPOSITORY = "pause needs a git repository, in whose .git folder it is recorded";

export function notRecorded(path: string, why: string): string {
  return `${path} cannot be changed: ${why}`;
}

/** @param end when the pause ends, and its reason */
export function paused(end: string): string {
  return `Paused ${end}. Each stop in the pause says so. To end the pause, run "${ownCommand()} resume".`;
}

export const RESUMED = "The pause has ended. The next stop runs the gates.";
export const NOT_PAUSED = "There was no pause.";

/** @param end when the pause ends, and its reason */
export function pausedNow(end: string): string {
  return `Paused ${end}`;
}

export const UNVERIFIED =
  "Not verified: a stop was postponed for agents in the background, and no stop followed";
