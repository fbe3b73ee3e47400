/** Messages about matchers and types of handlers. */

/** Problem of a matcher that could take too long to compile. */
export function matcherTooLong(maxChars: number): string {
  return `longer than ${maxChars} characters`;
}

/** A SubagentStop group whose matcher is not a valid regular expression. */
export function matcherInvalid(matcher: string, problem: string): string {
  return `the matcher "${matcher}" cannot be used: ${problem}`;
}

/** A regular expression that backtracks for too long. */
export function matcherTooSlow(matcher: string, agentType: string, limitMs: number): string {
  return `the matcher "${matcher}" took longer than ${limitMs} ms on agent type "${agentType}" so it counts as not matching; simplify it`;
}

/** A regular expression that failed while it was matched. */
export function matcherFailed(matcher: string, problem: string): string {
  return `the matcher "${matcher}" failed: ${problem}`;
}

/** A handler with the field `if`, which is evaluated for tool calls only. */
export const IF_NEVER_TRUE =
  'an "if" is never true on Stop and SubagentStop, so the handler never runs; remove the "if"';

/** @param type as in the settings file, in quotes */
export function handlerTypeNotSupported(type: string): string {
  return `handlers of type ${type} are not supported by mux-stop-hooks`;
}
