/** Messages of `agent-gauntlet trust`, and of the question before a run (G24a). */

export const CONFIRM_GATES = "Trust these gates?";

export const NOTHING_RECORDED = "Nothing was recorded.";

export function gatesTrusted(path: string): string {
  return `Trusted from your next message on, as recorded in ${path}.`;
}

export function noneWaiting(): string {
  return "No stop waits for trust.";
}

export function neverRuns(name: string): string {
  return `The gates of ${name} will not run, and no stop will mention them.`;
}

export function forgotten(name: string): string {
  return `${name} is not trusted any more.`;
}

export const IS_TRUSTED = "Trusted.";
export const IS_NOT_TRUSTED = "Not trusted.";
