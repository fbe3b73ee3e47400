/** Texts that several files use. */
import { plural, visible } from "@/common/text";

// The settings of the Stop hook.

export const MINUTES = "a number of minutes of at least 0";

// Why a report has no findings, as the predicate of a sentence whose subject is the report.

export const NOT_THIS_FORMAT = "does not have this format";

export function notReadable(why: string): string {
  return `cannot be read: ${why}`;
}

/** @param subject a path, a glob or a format; `why` is the predicate */
export function reportProblem(subject: string, why: string): string {
  return `${subject} ${why}`;
}

/** Replaces the middle of a text. */
export function charactersLeftOut(count: number): string {
  return `[… ${plural(count, "character")} left out …]`;
}

export const CANCELLED = "Cancelled";

export function exitedWith(code: number): string {
  return `Exited with code ${code}`;
}

export function killedBy(signal: string): string {
  return `Killed by ${signal}`;
}

export function timedOut(seconds: number): string {
  return `Timed out after ${seconds} s`;
}

/** Appears if the connection was lost while a check ran. */
export function outcomeUnknown(why: string): string {
  return `The exit code is unknown: ${why}`;
}

export function notStarted(why: string): string {
  return `Could not be started: ${why}`;
}

export const PAUSED_IN_TURN =
  "a pause was made during this turn, by you or by the agent; it counts from your next message";

/** The end of a pause, and its reason. */
interface PauseFacts {
  readonly until?: string;
  readonly turns: number;
  readonly seen: readonly string[];
  readonly reason?: string;
  readonly gates?: readonly string[];
}

/** Returns the names of the gates of a pause, for a sentence that begins with them, or an empty text for all gates. */
export function pausedGates({ gates }: Pick<PauseFacts, "gates">): string {
  return gates === undefined ? "" : `${visible(gates.join(", "))} `;
}

export function describePause({ until, turns, seen, reason }: PauseFacts): string {
  const why = reason === undefined ? "" : ` (reason: ${visible(reason)})`;
  const end = until === undefined ? describeTurns(turns, seen.length) : `until ${until}`;
  return `${end}${why}`;
}

function describeTurns(turns: number, begun: number): string {
  if (begun === 0) return `for ${plural(turns, "turn")}`;
  const left = turns - begun;
  return left <= 0 ? "until the next turn" : `for this and ${plural(left, "more turn")}`;
}

export const RUN_IN_PROGRESS = "A gauntlet run is already in progress";

// Results.

/** @param withoutAnswer the number of reviewers without an answer */
export function unresolvedViolations(count: number, withoutAnswer: number): string {
  const missing =
    withoutAnswer === 0 ? "" : `, ${plural(withoutAnswer, "reviewer")} without an answer`;
  return `${plural(count, "violation")} unresolved${missing}`;
}

/** Appears after the priority of a violation. */
export const OUTSIDE = "outside of the change";
export const UNCONFIRMED = "marked as fixed, but not confirmed";

// The JSON file of a slot, and the agent's edits in it.

/** @param problem one of the predicates below */
export function editProblem(path: string, id: string, place: string, problem: string): string {
  return `${path}: violation ${id} (${place}) ${problem}`;
}
