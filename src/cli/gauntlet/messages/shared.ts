/** Texts that several files use. */
import { ownCommand } from "@/common/ownCommand";
import { visible } from "@/common/text";
import { RUN_IN_PROGRESS } from "@/node/services/gauntlet/messages/shared";
import { NO_CONFIG } from "@/node/services/gauntlet/messages/status";

/** @param file the file that defines the task */
export function task(name: string, file: string): string {
  return `${file} has "${name}"`;
}

export function file(name: string): string {
  return `${name} exists`;
}

/** @param file a file of the configuration */
export function oldLogs(file: string): string {
  return `an earlier init wrote into ${file} that the files of runs are in gauntlet_logs, where formatters and linters read them: run "${ownCommand()} doctor --fix" to remove that`;
}

export function updating(file: string): string {
  return `Updating ${file}...`;
}

/** @param hosts the titles of `count` hosts */
export function trustedAsWritten(record: string, hosts = "Mux", count = 1): string {
  return `${hosts} now ${count === 1 ? "trusts" : "trust"} the hooks of this project in their current form (recorded in ${record})`;
}

export function running(jobId: string, command: string): string {
  return `Running ${visible(jobId)} twice: ${visible(command)}`;
}

export function logAt(path: string): string {
  return `Log: ${path}`;
}

export function reviewAt(path: string): string {
  return `Review: ${path}`;
}

// status

export function noRun(): string {
  return `There is no record of a run. Run "${ownCommand()} run" to check the changed files.`;
}

export function lastRun(description: string): string {
  return `Last run: ${description}`;
}

/** @param machine the workspace's machine; undefined for this one */
export function noProject(folder: string, machine: string | undefined): string {
  const on = machine === undefined ? "" : ` on ${machine}`;
  return `${NO_CONFIG} in ${folder}${on}, or in a parent folder within the same repository; run "${ownCommand()} init" to create it`;
}

export function warning(text: string): string {
  return `Warning: ${text}`;
}

/** @param holder the process that holds the lock */
export function runInProgress(holder: string): string {
  return `${RUN_IN_PROGRESS}: ${holder}; wait until it ends`;
}

// The command line

/** Completes commander's message about an invalid argument. */
export function expected(description: string): string {
  return `Expected ${description}.`;
}
