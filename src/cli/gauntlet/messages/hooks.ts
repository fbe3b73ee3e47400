/** Texts about hooks that `agent-gauntlet init` installs and `agent-gauntlet uninstall` removes. */

/** Follows the place of an installed hook without `--verify`. */
export const NO_VERIFY =
  "When the gauntlet has blocked a stop, this hook allows the next stop without a check. Add --verify to the command of the hook to check every stop.";

/** Appears in a worktree without settings of its own. @param main the main checkout */
export function installInMain(settings: string, main: string): string {
  return `this worktree uses the settings in ${settings}; run "agent-gauntlet init --hook mux" in ${main} instead`;
}

// Hooks of a team

/** @param name the name of this package */
export function notDependency(name: string): string {
  return `a shared hook must work in every clone of the project, but its package.json does not depend on ${name}; run "npm install --save-dev ${name}" first, or omit --shared to install the hook only for you`;
}

export function notInstalledHere(name: string): string {
  return `package.json depends on ${name}, but neither "./node_modules/.bin/agent-gauntlet" nor "npx --no-install agent-gauntlet" starts it here; install the dependencies of the project first`;
}

/** Follows the place of a personal hook, if a shared one was requested. */
export function installedPersonally(name: string): string {
  return `A second hook would run the gates twice. To share it with your team instead, run "agent-gauntlet uninstall --hook ${name}", then "agent-gauntlet init --shared --hook ${name}".`;
}

// Hosts that also run the hooks of another one

export function runsOther(title: string, other: string): string {
  return `${title} also runs the Stop hook of ${other} in this project, so it needs none of its own.`;
}

export function runsBoth(title: string, name: string, other: string): string {
  return `${title} runs its own hook and the one of ${other}, so the gates run twice; run "agent-gauntlet uninstall --hook ${name}" to remove the first.`;
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
  const [them, has] = files.length === 1 ? ["it", "is"] : ["them", "are"];
  return `git tracks ${files.join(" and ")}, and a command of this machine ${has} now in ${them}: do not commit that change, or run "git rm --cached" for ${them} and add ${them} to .gitignore. With --shared, init writes a command that works in every clone.`;
}

export function ignoredSettings(files: readonly string[]): string {
  return `git ignores ${files.join(" and ")}; remove that rule from .gitignore, so that you can commit the shared hook.`;
}

// Trust of Codex

export const CODEX_MISSING =
  'the trust of Codex is not recorded: "codex" is not on PATH; install it, then run "agent-gauntlet init --hook codex --trust-codex" again';

export function codexTrusts(count: number): string {
  return `Codex now trusts ${count === 1 ? "the hook" : `${count} hooks`} of the gauntlet`;
}

export function codexTrustFailed(why: string): string {
  return `the trust of Codex is not recorded: ${why}; start "codex" in this project and review the hooks there`;
}

export const CODEX_NO_HOOK =
  "codex app-server lists no hook that init wrote (Codex ignores the hooks of a project whose folder it does not trust)";

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
  return `${place} also runs the gauntlet, but init did not write this hook, or you edited it; remove it by hand.`;
}
