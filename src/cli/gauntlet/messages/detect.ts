/** Texts of `mux-stop-hooks init` about the checks of a project: why each one is proposed. */

export function script(name: string): string {
  return `package.json has "${name}"`;
}

export function dependency(name: string, config: string): string {
  return `${name} is a dependency, and ${config} exists`;
}

/** @param file the file that defines the task */
export function task(name: string, file: string): string {
  return `${file} has "${name}"`;
}

export function file(name: string): string {
  return `${name} exists`;
}

/** @param name a section or a dependency in the file */
export function named(name: string, inFile: string): string {
  return `${inFile} names ${name}`;
}

/** A part of a command that would end at its first failure. @param nth from 1 */
export function partOf(nth: number, command: string, reason: string): string {
  return `part ${nth} of ${command}: ${reason}`;
}

/** A comment in the file of a check. @param why the operator or the program that ends it */
export function endsEarly(why: string): string {
  return `Later problems may be hidden until the first one is fixed: ${why}.`;
}
