/** Messages about a stop as a whole: why hooks do not run, why a turn ends, and what changed within it. */

// Why no hook runs at the end of a turn, for a log.

export const USER_MESSAGE_FIRST = "a queued message of the user goes first";
// Why one hook does not run at this stop.

/** @param reason one of the following, or of the other files of this folder */
export function hookSkipped(hookName: string, reason: string): string {
  return `${hookName} does not run: ${reason}`;
}

export function builtinUnknown(name: string): string {
  return `there is no built-in handler named "${name}"`;
}

// Why a turn ends, for a log and the end of a run.

export const INTERRUPTED_TURN = "interrupted while hooks ran";

/** The user has typed a message while the hooks ran. */
export const DECISION_IGNORED = `${USER_MESSAGE_FIRST}, so the decision of the hooks is ignored`;

/** Heading of the message that sends the agent back (H18). Hosts and hooks rely on the exact text. */
export function continuationHeading(event: string, isFeedback: boolean): string {
  return `[${event} ${isFeedback ? "hook feedback" : "hook requested continuation"}]`;
}

/** A background hook with `asyncRewake` that exited with 2 (H41). */
export function backgroundFinding(
  { name, title }: { readonly name: string; readonly title: string },
  finding: string
): string {
  return `${name} (${title}) ran in the background and found a problem, which the agent gets with your next message:\n${finding}`;
}

// Failures that concern all hooks of a stop.

export function hooksFailed(problem: string): string {
  return `the hooks could not be run: ${problem}`;
}

export function runsNotRecorded(problem: string): string {
  return `the runs of the hooks could not be recorded, which does not change their decision: ${problem}`;
}

// Changes since the turn began (H7).

/** Why no hook runs at a stop that is reported after the session was disposed of. */
export const SESSION_ENDED = "no hooks ran, because the session has ended";
