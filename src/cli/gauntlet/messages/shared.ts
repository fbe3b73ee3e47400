/**
 * Texts that several gauntlet commands print: why `init` proposes a check, that a file is being updated or still names
 * the former log folder, that hooks are trusted, and that a run is in progress.
 */
import { shownCommand } from "@/common/ownCommandName";
import { RUN_IN_PROGRESS } from "@/node/services/gauntlet/messages/shared";

/** Returns why `init` proposes a check: a task of the project. @param file the file that defines the task */
export function task(name: string, file: string): string {
  return `${file} has "${name}"`;
}

/** Returns why `init` proposes a check: a file of the project. */
export function file(name: string): string {
  return `${name} exists`;
}

/** @param file a file of the configuration */
export function oldLogs(file: string): string {
  return `an earlier init wrote into ${file} that the files of runs are in gauntlet_logs, where formatters and linters read them: run "${shownCommand()} doctor --fix" to remove that`;
}

export function updating(file: string): string {
  return `Updating ${file}...`;
}

/** @param hosts the titles of `count` hosts */
export function trustedAsWritten(record: string, hosts = "Mux", count = 1): string {
  return `${hosts} now ${count === 1 ? "trusts" : "trust"} the hooks of this project in their current form (recorded in ${record})`;
}

/** @param holder the process that holds the lock */
export function runInProgress(holder: string): string {
  return `${RUN_IN_PROGRESS}: ${holder}; wait until it ends`;
}
