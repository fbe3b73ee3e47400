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
  return `this file is ignored, because ${newer} also exists; move its settings there and remove it`;
}

export function homeNotAbsolute(home: string): string {
  return `HOME is ${JSON.stringify(home)}, which is not an absolute path, so there are no user settings; set HOME to an absolute path`;
}

// Syntax errors, which follow the message of the parser.

export function ignoredUntilFixed(problem: string): string {
  return `${problem}; the file is ignored until it is fixed`;
}

/** The file has parsed before in this process. */
export function unchangedUntilFixed(problem: string): string {
  return `${problem}; until it is fixed, the file counts as it was before`;
}

// Script hooks that cannot run.

export function scriptNotReadable(problem: string): string {
  return `this hook does not run, because it cannot be read: ${problem}`;
}

export function scriptNotFile(isFolder: boolean): string {
  return `it is a ${isFolder ? "folder" : "FIFO, socket or device"}, not a file`;
}

export function notExecutable(path: string): string {
  return `it is not executable; run: chmod +x ${path}`;
}

/** @param limit such as `1 MiB` */
export function scriptTooLarge(limit: string): string {
  return `it is larger than ${limit}, the maximum size of a script hook; move the program and configure it as a command in settings.json`;
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
export const USER_SETTINGS_ONLY = "this counts only in the user's own settings";
