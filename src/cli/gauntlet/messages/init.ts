/** Texts of `agent-gauntlet init`. */

export const CONFIG_CREATED = "Configuration created";
export const HOOK_INSTALLED =
  "Stop hook installed - gauntlet will run automatically when agent stops";
export const HOOK_UPDATED =
  "Stop hook updated - it checks every stop, and each of your messages resets the retries";

export function alreadyExists(file: string): string {
  return `${file} already exists and is not changed.`;
}

export function creating(file: string): string {
  return `Creating ${file}...`;
}

export function updating(file: string): string {
  return `Updating ${file}...`;
}

/** @param host such as `Claude Code` */
export function hookQuestion(host: string, isInstalled: boolean): string {
  return `${isInstalled ? "Update" : "Install"} ${host} stop hook?`;
}

/** @param place `file:line` */
export function alreadyInstalled(host: string, place: string): string {
  return `The ${host} stop hook is already installed: ${place}`;
}

/** Follows {@link alreadyInstalled} for a hook without `--verify`. */
export const NO_VERIFY =
  "It approves the second stop without a check. Add --verify to its command to check every stop.";

/** @param title the host's name in sentences; `name` is the value of `--hook` */
export function notInstalled(problem: string, title: string, name: string): string {
  return `${problem}\nThe ${title} stop hook is not installed; fix this, then run "agent-gauntlet init --hook ${name}" again.`;
}

/** Appears in a worktree without settings of its own. @param main the main checkout */
export function installInMain(settings: string, main: string): string {
  return `this worktree uses the settings in ${settings}; run "agent-gauntlet init --hook mux" in ${main}`;
}

export function trustNeeded(project: string): string {
  return `Mux runs the hooks of ${project} after you trust them: "mux-hooks trust --show" lists them, and "mux-hooks trust" allows them.`;
}

export function trustedAsWritten(record: string): string {
  return `Trusted for Mux, as written (${record})`;
}

export function notIgnored(files: readonly string[]): string {
  return `git does not ignore ${files.join(" or ")}: do not commit your personal settings.`;
}

export const NEXT = "Next:";

export const GIT_FIRST =
  'Run "git init": gates run on changed files, and this folder is not in a git repository.';

/** @param config the path of the configuration in the project */
export function addChecks(config: string): string {
  return `Add your linter, type checker and tests: one file each in .gauntlet/checks, listed in ${config}.`;
}

export const RUN_GATES = 'Run "agent-gauntlet run" to see the gates pass.';
