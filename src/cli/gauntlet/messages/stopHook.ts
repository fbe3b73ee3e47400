/** Warnings about the options of `stop-hook`. Every stop loads this file, so it imports nothing. */

/** The message of a stop that the user or an error caused. */
export const ABORTED = "the agent was interrupted or has failed, so this stop was not checked";

export function hostNames(names: readonly string[]): string {
  return `one of ${names.join(", ")}`;
}

export function secondsUpTo(max: number): string {
  return `seconds from 1 to ${max}`;
}

export function argumentIgnored(argument: string): string {
  return `the argument ${JSON.stringify(argument)} is ignored`;
}

/** @param found undefined if the value is missing */
export function optionIgnored(option: string, expected: string, found: string | undefined): string {
  const text = found === undefined ? "no value" : JSON.stringify(found);
  return `${option} is ignored: expected ${expected}, found ${text}`;
}
