/**
 * Messages about settings files and script hooks. Most of them follow the position, as in
 * `.mux/settings.json:3:5: hooks.Stop[0]: expected a list, found "x"`.
 */

// Files.

export function notReadable(problem: string): string {
  return `cannot be read: ${problem}`;
}

/** @param what the part of the path that is the link */
export function danglingLink(what: "file" | "folder"): string {
  return what === "file"
    ? "it is a symbolic link to a file that does not exist"
    : "its folder is a symbolic link to a folder that does not exist";
}

export function notFile(isFolder: boolean): string {
  return `expected a file, found ${isFolder ? "a folder" : "a FIFO, a socket or a device"}`;
}

/** @param limit such as `256 KiB` */
export function settingsTooLarge(limit: string): string {
  return `larger than ${limit}, the maximum size of a settings file`;
}

/** The same file is in `.mux` and `.xum`. */
export function shadowedBy(newer: string): string {
  return `this file is ignored, because ${newer} also exists; move the settings of this file to ${newer}, then remove this file`;
}

/** A file of `~/.mux`. @param root `~/.xum` */
export function olderRoot(root: string): string {
  return `this file is ignored, because ${root} is not empty, so your settings are read from there; move this file to ${root}`;
}

export function homeNotAbsolute(home: string): string {
  return `HOME is ${JSON.stringify(home)}, which is not an absolute path, so user settings in it are not read; set HOME to an absolute path`;
}

// Syntax errors, which follow the message of the parser.

export function ignoredUntilFixed(problem: string): string {
  return `${problem}; the file is ignored until it is fixed`;
}

/** The file has parsed before in this process. */
export function unchangedUntilFixed(problem: string): string {
  return `${problem}; until it is fixed, the previous content of the file is used`;
}

// Values and handlers.

/** The end of a message about a value that cannot be used. */
export const DEFAULT_USED = "; the default is used";
export const HANDLER_SKIPPED = "; the handler is skipped";
export const GROUP_SKIPPED = "; the group is skipped";
export const EXPECTED_HANDLERS =
  'missing: expected a list of handlers, as in {"hooks": [{"type": …}]}';

/** @param found a description of the value that was found */
export function expectedValue(expected: string, found: string): string {
  return `expected ${expected}, found ${found}`;
}

export function tooManyHandlers(max: number): string {
  return `a file may have at most ${max} handlers; this one and all after it are skipped`;
}

/** @param size such as `1 MiB` */
export function checkoutTooLarge(size: string, files: number): string {
  return `not read: the settings files, imported files and plugins of a checkout may have at most ${size} in ${files} files; remove some of them`;
}

export function tooManyHandlersInCheckout(max: number): string {
  return `all files of a checkout together may have at most ${max} handlers; this one and all after it are skipped`;
}

export function tooManyEntries(max: number): string {
  return `expected at most ${max} entries${HANDLER_SKIPPED}`;
}

/** @param name in quotation marks */
export function unknownEvent(name: string, meant: string): string {
  return `unknown event ${name}; did you mean "${meant}"?`;
}

/** An event at the top level of a settings file. */
export function eventOutsideHooks(event: string): string {
  return `"${event}" has no effect here; move it into "hooks", as in {"hooks": {"${event}": […]}}`;
}

/** @param key in quotation marks */
export function duplicateKey(key: string): string {
  return `duplicate key ${key}; the last value is used`;
}

export function lowerValueUsed(problem: string, file: string): string {
  return `${problem}; the value in ${file} is used`;
}

export const ASYNC_REWAKE_AS_ASYNC =
  "the hook runs in the background and does not wake the agent; if it exits with code 2, the agent gets its finding with your next message";

// Script hooks that cannot run.

export function scriptNotReadable(problem: string): string {
  return `this hook does not run, because it cannot be read: ${problem}`;
}

export function scriptNotFile(isFolder: boolean): string {
  return `it is a ${isFolder ? "folder" : "FIFO, socket or device"}, not a file`;
}

export function notExecutable(path: string): string {
  return `it is not executable; run "chmod +x ${path}"`;
}

/** @param limit such as `1 MiB` */
export function scriptTooLarge(limit: string): string {
  return `it is larger than ${limit}, the maximum size of a script hook; move the program to another path and configure that path as a command in settings.json`;
}

/** A script hook of the user, for a workspace on another machine. */
export function scriptOnThisMachine(machine: string): string {
  return `it is on this machine, but hooks run on ${machine}; copy it to that machine and configure it as a command in settings.json`;
}

// Merging.

/** @param first name and position of the first entry */
export function repeatedHook(first: string): string {
  return `this repeats ${first}; the hook runs once, with the fields of this entry`;
}

export const GAUNTLET_TURNED_OFF = "turned off by gauntlet.enabled: false";

export function replacedByBuiltin(builtin: string): string {
  return `the built-in gauntlet, ${builtin}, runs in its place`;
}

/** `hookEnv.pass` of a checkout. */
export const USER_SETTINGS_ONLY =
  "ignored here: it has an effect only in your user settings, such as ~/.mux/settings.json";
