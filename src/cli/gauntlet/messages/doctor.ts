/** Texts of `mux-stop-hooks doctor`, and of the notice about a hook whose program is missing. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

// The project

export function configurationAt(file: string): string {
  return `configuration: ${file}`;
}

/** @param file the path of the configuration in the project */
export function noConfiguration(file: string): string {
  return `this project has no ${file}, so the hook checks nothing`;
}

export function runInit(): string {
  return `run "${ownCommand()} init"`;
}

export function invalidConfiguration(file: string, errors: number): string {
  return `${file} has ${plural(errors, "error")}, so the hook reports an error instead of checking`;
}

export function runValidate(): string {
  return `run "${ownCommand()} validate", and correct each error`;
}

/** @param by the setting that disables the hook */
export function hookDisabled(by: string): string {
  return `the hook is disabled by ${by}, so it checks nothing`;
}

export const ENABLE_HOOK = "remove that setting, or set it to true";

// Hooks

/** @param place `file:line` */
export function hookForUser(place: string): string {
  return `Stop hook, in your own settings: ${place}`;
}

/** @param place `file:line` */
export function hookForTeam(place: string): string {
  return `Stop hook, in a file for the whole team: ${place}`;
}

/** Appears for a host whose hooks are all of the project. @param place `file:line` */
export function hookForProject(place: string): string {
  return `Stop hook: ${place}`;
}

/** @param place `file:line` of the other host's hook */
export function hookOfOther(other: string, place: string): string {
  return `uses the Stop hook of ${other}: ${place}`;
}

export const NO_HOOK = "no Stop hook";

/** Appears if a settings file could not be read. */
export const NO_HOOK_ELSEWHERE = "no Stop hook found, but not every file could be read";

export function installHook(name: string): string {
  return `run "${ownCommand()} init --hook ${name}"`;
}

/** Appears if the project does not need the hook of this host. */
export function optionalHook(name: string): string {
  return `no Stop hook (to install it, ${installHook(name)})`;
}

export function hookTwice(count: number): string {
  return `the Stop hook is installed ${count === 2 ? "twice" : `${count} times`}, so the gates run more than once`;
}

export function keepOne(name: string): string {
  return `remove all but one by hand, or run "${ownCommand()} uninstall --hook ${name}" and then "${ownCommand()} init --hook ${name}"`;
}

export const FIX_FILE = "correct this file, so that the agent can read it";

export function hostMissing(title: string): string {
  return `${title} was not found on this machine`;
}

// The program of a hook

export function programStarts(version: string | undefined): string {
  return version === undefined ? "its command starts" : `its command starts version ${version}`;
}

export function programInstalled(version: string | undefined): string {
  const text = "its program is installed in the project";
  return version === undefined ? text : `${text}, version ${version}`;
}

export function notInstalled(name: string): string {
  return `node_modules does not have ${name} with its program`;
}

/** @param place `file:line` */
export function programFails(place: string, why: string): string {
  return `the command in ${place} does not work: ${why}`;
}

/** @param place `file:line` */
export function programTooOld(place: string, version: string | undefined): string {
  const program = version === undefined ? "an old version" : `the old version ${version}`;
  return `the command in ${place} starts ${program} of mux-stop-hooks, which does not have --verify`;
}

export const NOT_TRIED =
  "its command was not tried, because it is not one that init writes (it may have been edited)";

export const NOT_TRIED_IN_PROJECT =
  "its command was not tried, because it starts a program of this project";

/** @param place `file:line` */
export function withoutVerify(place: string): string {
  return `the command in ${place} does not have --verify: after the gauntlet has blocked a stop, the next stop of the agent is allowed without a check`;
}

/** @param place `file:line` */
export function limitTooShort(place: string, hostS: number, limitS: number): string {
  return `the agent ends the command in ${place} after ${hostS} s, but its --limit is ${limitS} s: a longer run is lost, and the stop is not verified`;
}

/** @param field with its value */
export function raiseLimit(field: string, hostS: number): string {
  return `set ${field} there, or --limit ${hostS} in its command`;
}

export const ADD_VERIFY = "add --verify to the command of the hook";
export function runFix(): string {
  return `run "${ownCommand()} doctor --fix" to update the command`;
}
export const INSTALL_DEPENDENCIES = "install the dependencies of the project";

export function putOnPath(program: string): string {
  return `install this package so that /bin/sh finds a recent "${program}" on PATH`;
}

export function changeByHand(name: string): string {
  return `correct the command by hand, or remove the hook and run "${ownCommand()} init --hook ${name}"`;
}

export function doesNotExist(path: string): string {
  return `${path} does not exist`;
}

export function endedWith(code: number, line: string): string {
  return `exit code ${code}${line === "" ? "" : ` (${line})`}`;
}

export function endedBySignal(signal: string): string {
  return `ended by ${signal}`;
}

export function didNotEnd(seconds: number): string {
  return `it did not finish within ${seconds} s`;
}

// Codex

export const CODEX_TRUSTS = "Codex trusts the hook";
export const CODEX_DOES_NOT_TRUST = "Codex does not trust the hook, and skips it";
export function codexTrustStep(): string {
  return `start "codex" in this project and review the hooks, or run "${ownCommand()} init --hook codex --trust-codex"`;
}
export const CODEX_LISTS_NO_HOOK =
  "codex app-server does not list the hook (probably because Codex does not trust this folder)";
export const CODEX_REVIEW_STEP = 'start "codex" in this project and review the hooks there';
export const CODEX_NOT_ON_PATH =
  'whether Codex trusts the hook is not known: "codex" is not on PATH';

export function codexTrustUnknown(why: string): string {
  return `whether Codex trusts the hook is not known: ${why}`;
}

// opencode

export function moduleExists(version: string | undefined): string {
  return version === undefined ? "the plugin file exists" : `the plugin is version ${version}`;
}

/** @param file the plugin file */
export function moduleOfPluginMissing(file: string, module: string): string {
  return `the plugin file ${file} imports ${module}, which does not exist`;
}

export function notOwnPlugin(file: string): string {
  return `${file} exists, but init did not write it`;
}

// Mux

export const MUX_BUILT_IN = "no Stop hook in a file: the gauntlet is built in";
export const HOOKS_TRUSTED = "the hooks of this project are trusted";
export const HOOKS_NOT_TRUSTED =
  "the hooks of this project do not run, for example because they are not trusted";
export function muxDoctor(): string {
  return `run "${ownCommand()} hooks doctor" in this project`;
}

// The end of the report

/** @param titles the hosts that are not on this machine */
export function notFound(titles: readonly string[]): string {
  return `Not on this machine, and no hook installed for them: ${titles.join(", ")}`;
}

/** The title of the block if there is no host. */
export const AGENT_HOSTS = "Agents";
export const NO_HOST_FOUND = "no supported agent was found on this machine";
export function installHost(): string {
  return `install one of the supported agents (see docs/agents.md), then run "${ownCommand()} init"; until then, run the gates with "${ownCommand()} run"`;
}

export function nextStep(text: string): string {
  return `Next: ${text}`;
}

export const NO_PROBLEMS = "No problems.";

export function problems(count: number): string {
  return `${plural(count, "problem")} found.`;
}

export const NOTHING_TO_FIX = "--fix found nothing to update.";

export function notFixed(problem: string): string {
  return `${problem}; the hook was not updated`;
}

// After `run` and `status`

/** @param place `file:line` @param next what the user can do */
export function hookVanished(title: string, place: string, path: string, next: string): string {
  return `the Stop hook of ${title} in ${place} does not start: ${path} does not exist; ${next}`;
}
