/** Texts of the screen and of the trial of `mux-stop-hooks init`. */
import { ownCommand } from "@/common/ownCommand";

export const TITLE = "Select the checks that must pass before an agent can stop:";
export const KEYS = "Space select, d show changes, Enter accept, Ctrl-C cancel";
export const CHECKS = "Checks";
export const AGENTS = "Agents to install the Stop hook in";
export const CANCELLED = "Nothing was written.";
export const DRY_RUN = "Nothing was written, because of --dry-run.";
export const TRUST_CODEX = "Codex runs the hook only once you trust it. Trust it now?";
export const NONE_FOUND = "No test, lint or type-check command was found in this project";
export const NONE_SELECTED = "No check is selected";
export const NONE_USABLE = "None of the checks of this project can be used here";

/** @param why one of the texts above @param path the file of the example */
export function exampleWritten(why: string, path: string): string {
  return `${why}, so an example check is written to ${path}; replace it with a command of your own.`;
}

/** Precedes the results of the trial. @param count the number of checks */
export function trying(count: number): string {
  const checks = count === 1 ? "the check" : `the ${count} checks`;
  return `Trying ${checks} once (at most 20 s each, 60 s together):`;
}

/** Shown while a check runs at a terminal. */
export function running(name: string, command: string): string {
  return `  ${name}: ${command} (Enter skips this trial)`;
}

/** A check whose program does not exist. */
export function programMissing(name: string, program: string): string {
  return `the check ${name} is left out, because ${program} was not found; install it and add the check by hand`;
}

export function checksNotTried(): string {
  return `The checks were not tried. Run "${ownCommand()} run --all" to run all of them.`;
}

export function passedIn(duration: string): string {
  return `passed in ${duration}`;
}

/** @param how such as `exit code 1` */
export function failsToday(how: string, duration: string): string {
  return `fails now (${how}, ${duration}); written nevertheless`;
}

export function unfinishedAfter(duration: string): string {
  return `starts; not finished in ${duration}. If all checks together take longer than 290 s, run "${ownCommand()} init --limit 900"`;
}

/** @param line of the output, which shows that it waits for changes */
export function watches(line: string): string {
  return `left out, because it does not end (${line}); add a check with a command that ends, such as CI=1 npm test`;
}

export const SKIPPED = "not tried";

export function cannotRun(how: string): string {
  return `left out, because it cannot run here (${how})`;
}

export function changesFiles(files: readonly string[]): string {
  return `left out, because it changes files that git does not ignore: ${someOf(files)}`;
}

/** A comment in the file of a check. @param day as in `2026-01-31` */
export function passedComment(day: string, duration: string): string {
  return `Passed on ${day} in ${duration}.`;
}

export function failedComment(day: string, how: string): string {
  return `Failed on ${day} (${how}).`;
}

export function unfinishedComment(day: string, duration: string): string {
  return `Starts; on ${day} it was not finished in ${duration}.`;
}

const MAX_FILES = 5;

function someOf(files: readonly string[]): string {
  const rest = files.length - MAX_FILES;
  return files.slice(0, MAX_FILES).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** A command that runs in other folders than the root of the project. */
export function commandIn(command: string, folders: readonly string[]): string {
  const [first = "", ...others] = folders;
  return `${command} (in ${first}${others.length === 0 ? "" : ` and ${others.length} more`})`;
}

/** Items of the screen that are not visible. */
export function moreItems(count: number): string {
  return `${count} more (move with the arrow keys)`;
}
