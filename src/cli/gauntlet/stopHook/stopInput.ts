/** What an agent's host says of a stop (G22). */

export interface StopInput {
  readonly stopHookActive: boolean;
  /** Where the agent works. */
  readonly cwd?: string;
}

/** Nothing where the text is no JSON object. A field of the wrong type counts as missing. */
export function parseStopInput(text: string): StopInput | undefined {
  const fields = parseObject(text);
  if (fields === undefined) return undefined;
  const { stop_hook_active: stopHookActive, cwd } = fields;
  const isPath = typeof cwd === "string" && cwd !== "" && !cwd.includes("\0");
  return { stopHookActive: stopHookActive === true, ...(isPath ? { cwd } : {}) };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    // Nothing but an object begins with a brace, and to nothing else this is applied.
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
