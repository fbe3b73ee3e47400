/** The messages of the hooks in opencode: toasts, log lines, and lines on standard error. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

/** The title of a toast, and the beginning of a line on standard error. */
export const TITLE = "mux-stop-hooks";

/** @param event `Stop` or `SubagentStop` */
export function hooksRun(event: string, index: number, total: number, label: string): string {
  return `${event} hook ${index} of ${total} is running: ${label}`;
}

/** @param reason the first line of what the agent gets */
export function sentBack(event: string, continuations: number, reason: string): string {
  return `the ${event} hooks sent the agent back to work (${plural(continuations, "time")} in this turn): ${reason}`;
}

export function continuationNotSent(problem: string): string {
  return `the hooks asked the agent to continue, but opencode did not accept this: ${problem}; the agent stopped with its work unfinished, so tell it to continue`;
}

/** @param request such as `session.messages` */
export function requestFailed(request: string, problem: string): string {
  return `the request ${request} to opencode failed: ${problem}`;
}

/** @param what the step of the plugin, such as `session.idle` */
export function pluginFailed(what: string, problem: string): string {
  return `the hooks did not run because of an error in ${what}: ${problem}; opencode continues without them; run "${ownCommand()} doctor" to check the installation`;
}

/** @param path the transcript */
export function transcriptNotWritten(path: string, problem: string): string {
  return `hooks run without a transcript, because ${path} could not be written: ${problem}`;
}

/** @param text the final answer of the agent after a continuation, which `opencode run` does not print */
export function finalAnswer(text: string): string {
  return `the final answer of the agent:\n${text}`;
}
