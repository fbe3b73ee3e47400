/** Messages about a stop as a whole: why hooks do not run, why a turn ends, and what changed within it. */

// Why no hook runs at the end of a turn, for a log.

export const USER_MESSAGE_FIRST = "a queued message of the user goes first";

export function builtinUnknown(name: string): string {
  return `there is no built-in handler named "${name}"`;
}

/** Heading of the message that sends the agent back (H18). Hosts and hooks rely on the exact text. */
export function continuationHeading(event: string, isFeedback: boolean): string {
  return `[${event} ${isFeedback ? "hook feedback" : "hook requested continuation"}]`;
}

// Failures that concern all hooks of a stop.

export function hooksFailed(problem: string): string {
  return `the hooks could not be run: ${problem}`;
}

export function runsNotRecorded(problem: string): string {
  return `the runs of the hooks could not be recorded, which does not change their decision: ${problem}`;
}
