/** Texts of `mux-stop-hooks init`. */
import { ownCommand } from "@/common/ownCommand";

export const CONFIG_CREATED = "Configuration created";
export const HOOK_INSTALLED =
  "Stop hook installed - gauntlet will run automatically when agent stops";
export const HOOK_UPDATED =
  "Stop hook updated - the gauntlet runs at every stop, and each message from you resets the number of attempts";

export function alreadyExists(file: string): string {
  return `${file} already exists and is not changed.`;
}

/** @param file a file of the configuration */
export function oldLogs(file: string): string {
  return `an earlier init wrote into ${file} that the files of runs are in gauntlet_logs, where formatters and linters read them: run "${ownCommand()} doctor --fix" to remove that`;
}

export const REMOVE_OLD_LOGS =
  "The files of runs are in gauntlet_logs, where formatters and linters read them. Keep them in the git folder instead?";

export function creating(file: string): string {
  return `Creating ${file}...`;
}

export function updating(file: string): string {
  return `Updating ${file}...`;
}

/** @param place `file:line` */
export function alreadyInstalled(host: string, place: string): string {
  return `The ${host} Stop hook is already installed: ${place}`;
}

/** @param title the host's name in sentences; `name` is the value of `--hook` */
export function notInstalled(problem: string, title: string, name: string): string {
  return `${problem}\nThe ${title} Stop hook is not installed; fix this, then run "${ownCommand()} init --hook ${name}" again.`;
}

/** Appears if files of the configuration were there before. */
export function gatesNeedTrust(dir: string): string {
  return `Some files in .gauntlet/ were there before; run "${ownCommand()} trust" in ${dir} to see and allow their commands.`;
}

/** @param hosts the titles of `count` hosts */
export function trustNeeded(project: string, hosts: string, count: number): string {
  return `${hosts} ${count === 1 ? "does" : "do"} not run the hooks of ${project} until you trust them: run "${ownCommand()} hooks trust --show" to list them, then "${ownCommand()} hooks trust" to trust them.`;
}

/** @param hosts the titles of `count` hosts */
export function trustedAsWritten(record: string, hosts = "Mux", count = 1): string {
  return `${hosts} now ${count === 1 ? "trusts" : "trust"} the hooks of this project in their current form (recorded in ${record})`;
}

export const NEXT = "Next:";

export const GIT_FIRST =
  'Run "git init": gates run on changed files, and this folder is not in a git repository.';

/** @param config the path of the configuration in the project */
export function addChecks(config: string): string {
  return `Add your linter, type checker and tests: one file each in .gauntlet/checks, listed in ${config}.`;
}

export function runGates(): string {
  return `Run "${ownCommand()} run" to see the gates pass.`;
}
