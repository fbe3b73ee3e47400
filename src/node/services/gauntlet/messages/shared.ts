/**
 * Texts that several files use, for users and agents: messages of gates and statuses, notices of runs, descriptions of
 * pauses, parts of stops. Also recognizes the reason of a failed stop by its beginning (G26).
 */
import { shownCommand } from "@/common/ownCommandName";
import { plural, visible } from "@/common/safeText";

// The settings of the Stop hook.

export const MINUTES = "a number of minutes of at least 0";

// The reason why a report has no findings, as the predicate of a sentence whose subject is the report.

export const NOT_THIS_FORMAT = "does not have this format";

export function notReadable(why: string): string {
  return `cannot be read: ${why}`;
}

/** @param subject a path, a glob or a format; `why` is the predicate */
export function reportProblem(subject: string, why: string): string {
  return `${subject} ${why}`;
}

/** Returns the text that replaces the middle of a long text. */
export function charactersLeftOut(count: number): string {
  return `[… ${plural(count, "character")} left out …]`;
}

// The messages of checks.

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

/** Returns the message of a check during which the connection was lost. */
export function outcomeUnknown(why: string): string {
  return `The exit code is unknown: ${why}`;
}

export function notStarted(why: string): string {
  return `Could not be started: ${why}`;
}

// A pause of the Stop hook (G42).

export const PAUSED_IN_TURN =
  "a pause was made during this turn, by you or by the agent; it counts from your next message";

/** The end of a pause, and its reason. */
export interface PauseFacts {
  /** ISO 8601: its end. Absent if turns end it. */
  readonly until?: string;
  /** The number of turns of a user; 0 if the time ends it. */
  readonly turns: number;
  /** Hashes of the turns that had a stop in the pause. */
  readonly seen: readonly string[];
  readonly reason?: string;
  /** Names of the only gates that do not run. Absent: the whole hook is off. */
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

/**
 * Returns the message of a review with unresolved violations.
 *
 * @param withoutAnswer the number of reviewers without an answer
 */
export function unresolvedViolations(count: number, withoutAnswer: number): string {
  const missing =
    withoutAnswer === 0 ? "" : `, ${plural(withoutAnswer, "reviewer")} without an answer`;
  return `${plural(count, "violation")} unresolved${missing}`;
}

/** Appears after the priority of a violation. */
export const OUTSIDE = "outside of the change";
export const UNCONFIRMED = "marked as fixed, but not confirmed";

// The JSON file of a slot, and the agent's edits in it.

/** @param problem the predicate of a sentence whose subject is the violation */
export function editProblem(path: string, id: string, place: string, problem: string): string {
  return `${path}: violation ${id} (${place}) ${problem}`;
}

// The messages of statuses (G25).

export const ALL_PASSED = "all gates passed";

export const NO_GATES_MATCH = "no gates match the changed files";

export const NO_CONFIG = "not a gauntlet-enabled project: there is no .gauntlet/config.yml";

export function startOver(): string {
  return `to start over, send a new message or run "${shownCommand()} clean"`;
}

/** @param by the setting that disables the Stop hook */
export function turnedOffBy(by = "the configuration"): string {
  return `turned off by ${by}`;
}

// A run: its notices, caveats and failures.

export const INTERRUPTED = "the run was interrupted";

/** Returns the message of a gate that was running when the time of the Stop hook ended (G27c). */
export function gateOverLimit(seconds: number): string {
  return `did not end within ${seconds} s, the time the Stop hook has`;
}

/** Returns the same message for a check that hangs. */
export function gateHangs(seconds: number, usual: number): string {
  return `${gateOverLimit(seconds)}; it usually ends within ${usual} s`;
}

/** @param unresolved the IDs of the unresolved gates */
export function stateRestored(logDir: string, unresolved: readonly string[]): string {
  return `the record of the last run is missing in ${logDir}; the copy in the git folder is used, with these unresolved gates: ${unresolved.join(", ")}`;
}

/** @param holder the process that holds the lock */
export function lockHeld(holder: string, path: string): string {
  return `${holder}; its lock is ${path}`;
}

/** The message of the gate `config` (G20a). */
export const CONFIG_BROKEN =
  "the gauntlet's configuration became invalid after this turn began; fix it";

/** The message of an unresolved gate whose folder or definition no longer exists (G18a). */
export const NO_LONGER_APPLIES =
  "was failing and no longer applies; its folder or its definition no longer exists: restore it, and fix the failure";

export function unstableFiles(files: readonly string[]): string {
  return `files that changed while the checks ran: ${files.join(", ")}`;
}

// A stop.

/** @param path a settings file of the agent host */
export function hookRemoved(path: string): string {
  return `the Stop hook was removed from ${path}, so the host may end without a check; to install it again, run "${shownCommand()} init"`;
}

/** Shown at the next stop, and at the start of the user's next turn, if a process was ended (G40). */
export const ENDED_BEFORE =
  "the last Stop hook was ended before it had answered, so the agent stopped without a check; if its host ended it at the host's time limit, raise that limit";

export function stopsNotCounted(why: string): string {
  return `the attempts of this turn cannot be counted, so the retry limit cannot be applied and this stop is allowed: ${why}`;
}

/** Follows the sentence that names the command for a run by hand (G7a). */
export const OWN_RUN =
  "If it passes and no file changes after it, your next stop does not run the gates again.";

/** Marks a line for the user as a message of the gauntlet. */
export function fromGauntlet(line: string): string {
  return `Gauntlet: ${line}`;
}

/** The beginning of the reason that sends an agent back to work, by which it is recognized (G26). */
export const FIRST_LINE = "Gauntlet gates did not pass.";
export const FIX_NOW = "**Fix these failures now.**";
/** Follows the first line if nothing changed since the last failed stop (G38). */
export const UNCHANGED = "No file changed since your last stop, and";

/** Returns whether a message to an agent contains the reason of a failed stop. */
export function isReason(text: string): boolean {
  const [, ...rests] = text.split(FIRST_LINE);
  return rests.some((rest) => {
    const lines = rest.slice(rest.indexOf("\n"));
    return rest.startsWith(` ${UNCHANGED}`) || lines.startsWith(`\n\n${FIX_NOW}`);
  });
}
