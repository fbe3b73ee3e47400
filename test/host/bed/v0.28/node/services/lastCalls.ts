/** Calls that end the turn. */
export const LAST_CALLS: readonly string[] = ["propose_plan"];
