/** Calls that end the turn: the agent goes on after any. */
export const LAST_CALLS: readonly string[] = [];
