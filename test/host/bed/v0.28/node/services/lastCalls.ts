/** The tool calls that end a turn. */
export const LAST_CALLS: readonly string[] = ["propose_plan"];
