/**
 * Finds the home folder of the user, which has the user's own settings by default. Ignores a relative `HOME`, and
 * returns a path that does not exist if the user has no home folder.
 */
import { homedir, userInfo } from "node:os";
import { tryOr } from "@/common/errors";
import { isAbsolute, resolve } from "node:path";

const NO_HOME = "/nonexistent";

/**
 * Returns the user's home folder as an absolute path without `..`, so that paths below it can be compared, or a path
 * that does not exist if the user is not in the system's list of users. A relative `HOME` would make the files of a
 * checkout count as the user's own, so it is not used.
 */
export function userHome({ HOME }: NodeJS.ProcessEnv = process.env): string {
  const home = HOME ?? tryOr(homedir, NO_HOME);
  return isAbsolute(home) ? resolve(home) : tryOr(() => userInfo().homedir, NO_HOME);
}
