/**
 * Messages that several files of the hook engine use: why a hook or all hooks do not run, and the heading of the
 * message that sends the agent back (H18). One about a run is printed after the name of its hook, so it begins in lower
 * case.
 */

/** A handler with the field `if`, which is evaluated for tool calls only. */
export const IF_NEVER_TRUE =
  'an "if" is never true on Stop and SubagentStop, so the handler never runs; remove the "if"';

/** Why hooks of the checkout do not run. */
export const NOT_TRUSTED = 'the project is not trusted with "mux-stop-hooks hooks trust"';

/** The end of the reason why a command that starts the gauntlet does not run. The stop is verified without it. */
export const RUNS_IN_ITS_PLACE = "runs in its place";

/** @param type as in the settings file, including its quotes */
export function handlerTypeNotSupported(type: string): string {
  return `handlers of type ${type} are not supported by mux-stop-hooks`;
}

export function fileMissing(path: string): string {
  return `${path} does not exist`;
}

/** @param host the name of the program that runs the hooks, if it gives one */
export function noModelForPrompts(host = "the program that runs the hooks"): string {
  return `there is no model here that could answer its prompt, because ${host} gives hooks none; use a handler of another type`;
}

/** No hook runs, because all of them would run on the workspace's machine. */
export function workspaceUnreachable(problem: string): string {
  return `no hook runs, because the workspace cannot be reached: ${problem}`;
}

/** Why a hook of type `builtin` does not run. */
export function builtinUnknown(name: string): string {
  return `there is no built-in handler named "${name}"`;
}

/** Heading of the message that sends the agent back (H18). Hosts and hooks rely on the exact text. */
export function continuationHeading(event: string, isFeedback: boolean): string {
  return `[${event} ${isFeedback ? "hook feedback" : "hook requested continuation"}]`;
}

/** Why no hook runs at the end of a turn, for a log. */
export const USER_MESSAGE_FIRST = "a queued message of the user goes first";

/** A failure that concerns all hooks of a stop. */
export function hooksFailed(problem: string): string {
  return `the hooks could not be run: ${problem}`;
}
