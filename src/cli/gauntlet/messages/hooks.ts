/** Texts about hooks that `mux-stop-hooks init` installs and `mux-stop-hooks uninstall` removes. */
import { ownCommand } from "@/common/ownCommand";

/** Follows the place of an installed hook without `--verify`. */
export const NO_VERIFY =
  "When the gauntlet has blocked a stop, this hook allows the next stop without a check. Add --verify to the command of the hook to check every stop.";

/** @param fields such as `"timeout": 900 and --limit 900` */
export function limitNotSet(place: string, fields: string): string {
  return `You edited the hook in ${place}, so its time limit was not changed; set ${fields} there.`;
}

export const NO_HOOK_FOR_LIMIT =
  "no agent has the Stop hook, so there is no time limit to change; name the agent with --hook";

/** Appears in a worktree without settings of its own. @param main the main checkout */
export function installInMain(settings: string, main: string): string {
  return `the hook was not installed: this worktree uses the settings in ${settings}; run "${ownCommand()} init --hook mux" in ${main} instead`;
}

// Hooks of a team

/** @param name the name of this package */
export function notDependency(name: string): string {
  return `a shared hook must work in every clone of the project, but its package.json does not depend on ${name}; run "npm install --save-dev ${name}" first, or omit --shared to install the hook only for you`;
}

export function notInstalledHere(name: string): string {
  return `package.json depends on ${name}, but node_modules does not have it, neither here nor in a folder above; install the dependencies of the project first`;
}

/** Follows the place of a personal hook, if a shared one was requested. */
export function installedPersonally(name: string): string {
  return `The shared hook was not installed, because the gates would run twice. To share your hook with your team instead, run "${ownCommand()} uninstall --hook ${name}", then "${ownCommand()} init --shared --hook ${name}".`;
}

// Hosts that also run the hooks of another one

export function runsOther(title: string, other: string): string {
  return `${title} also runs the Stop hook of ${other} in this project, so it needs none of its own.`;
}

export function runsBoth(title: string, name: string, other: string): string {
  return `${title} runs both its own hook and the hook of ${other}, so the gates run twice; to remove the hook of ${title}, run "${ownCommand()} uninstall --hook ${name}".`;
}

/** The problem of a file to which no table can be added. */
export function inlineHooks(): string {
  return 'it sets "hooks" in one line, so no hook can be added; write each hook as a table [[hooks]] first';
}

/** Appears if a host has no file that a team can share. @param path the user's file */
export function notShareable(title: string, path: string): string {
  return `${title} reads hooks only from ${path}, which is yours; omit --shared`;
}

// opencode

export function notOwnFile(path: string): string {
  return `${path} exists, but init did not write it; move or rename it first`;
}

export function moduleMissing(path: string): string {
  return `the plugin for opencode is missing: ${path} does not exist; install this package again, or run "make build" in its folder`;
}

// Files in the repository

export function trackedSettings(files: readonly string[]): string {
  const them = files.length === 1 ? "it" : "them";
  return `git tracks ${files.join(" and ")}, and the new command in ${them} works only on this machine: do not commit that change, or run "git rm --cached ${files.join(" ")}" and add ${them} to .gitignore. With --shared, init writes a command that works in every clone.`;
}

export function ignoredSettings(files: readonly string[]): string {
  return `git ignores ${files.join(" and ")}, so you cannot commit the shared hook; "git check-ignore -v ${files[0] ?? ""}" shows the rule to remove.`;
}

// Trust of Codex

export function codexMissing(): string {
  return `Codex skips the hook, because the trust could not be recorded: "codex" is not on PATH; install it, then run "${ownCommand()} init --hook codex --trust-codex" again`;
}

export function codexTrusts(count: number): string {
  return `Codex now trusts ${count === 1 ? "the hook" : `${count} hooks`} of the gauntlet`;
}

export function codexTrustFailed(why: string): string {
  return `Codex may skip the hook, because the trust could not be recorded: ${why}; start "codex" in this project and review the hooks there`;
}

export const CODEX_NO_HOOK =
  "codex app-server lists no hook that init wrote (probably because Codex does not trust this folder)";

export const CODEX_NOT_RECORDED =
  "codex app-server accepted the change, but reports the hooks as untrusted";

export function codexAnsweredError(method: string, message: string): string {
  return `codex app-server rejected ${method}: ${message}`;
}

export function codexEnded(method: string, how: string): string {
  return `codex app-server ended before it answered ${method} (${how})`;
}

/** @param seconds the time limit of all requests together */
export function codexTimedOut(method: string, seconds: number): string {
  return `codex app-server did not answer ${method} within ${seconds} s`;
}

// Uninstall

export const NOTHING_TO_REMOVE = "No hook that init wrote was found.";

export function removingFile(file: string): string {
  return `Removing ${file}...`;
}

/** @param place `file:line` */
export function notWrittenByInit(place: string): string {
  return `${place} also runs the gauntlet, but init did not write this hook, or you edited it. It was not changed; to remove it, edit the file.`;
}

/** @param folder the copy of this package in the user's data folder */
export function copyFailed(folder: string, problem: string): string {
  return `the hook would start a program of this project in all projects, and a copy in ${folder} could not be made: ${problem}`;
}
