/** Texts of `mux-stop-hooks hooks log`, `disable` and `enable`. */
import { ownCommand } from "@/common/ownCommand";

export const NO_USER_ROOT =
  "HOME is not an absolute path, so the log of hooks cannot be found; set HOME to an absolute path";

/** @param path of the log */
export function nothingLogged(project: string, path: string): string {
  return `No stop of ${project} is in ${path} yet. Hooks of sessions are logged, those of "${ownCommand()} hooks test" are not.`;
}

export function folderNotWatched(root: string, why: string): string {
  return `the folder ${root} cannot be watched: ${why}; run "${ownCommand()} hooks log" without --follow`;
}

// disable and enable

export function noSuchHook(name: string): string {
  return `no hook has the name ${name} or a command that contains it; "${ownCommand()} hooks list" shows all hooks`;
}

/** Precedes the list of hooks. */
export function severalHooks(name: string): string {
  return `several hooks match ${name}; use the name of one of them:`;
}

/** @param what `disabled` or `enabled` */
export function alreadySo(hook: string, what: string): string {
  return `${hook} is already ${what}.`;
}

/** @param where files with lines */
export function switched(hook: string, what: string, where: readonly string[]): string {
  return `${hook} is ${what} in ${where.join(" and ")}, from your next message on.`;
}

export function notInMuxFile(hook: string, file: string): string {
  return `${hook} is defined in ${file}, which is not a settings file of Mux and is never changed; to turn it off in Mux only, repeat it with "enabled": false in a settings file of the same layer`;
}

export function isScript(hook: string, file: string): string {
  return `${hook} is the file ${file}; to turn it off, remove its executable bit ("chmod -x"), and set it to turn it on`;
}

export function isBuiltin(hook: string): string {
  return `${hook} is built in and not defined in a file; to turn it off, set "gauntlet": { "enabled": false } in a settings file`;
}

export function stillSo(hook: string, what: string): string {
  return `${hook} is still ${what}, because of another entry or another field; see "${ownCommand()} hooks list"`;
}
