/** The tool calls that end a turn. In this version there are none. */
export const LAST_CALLS: readonly string[] = [];
