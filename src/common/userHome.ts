/** Finds the home folder of the user, which has the user's own settings by default. */
import { homedir, userInfo } from "node:os";
import { isAbsolute, resolve } from "node:path";

/**
 * Returns the user's home folder as an absolute path without `..`, so that paths below it can be compared. A relative
 * `HOME` would make the files of a checkout count as the user's own, so it is not used.
 */
export function userHome({ HOME: home = homedir() }: NodeJS.ProcessEnv = process.env): string {
  return isAbsolute(home) ? resolve(home) : userInfo().homedir;
}
