/** Texts of the reports of `mux-hooks`: `list`, `validate`, `test` and `run`. */
import { ownCommand } from "@/common/ownCommand";
import { plural } from "@/common/text";

// list

export function hooksOf(project: string): string {
  return `Hooks of ${project}`;
}

export const NO_HOOKS_WOULD_RUN = "no hooks would run";

export function continuationLimit(count: number): string {
  return `at most ${plural(count, "continuation")} per turn`;
}

export function skippedHooks(event: string): string {
  return `${event}, skipped`;
}

export const PROBLEMS = "Problems";
export function validateHint(): string {
  return `run "${ownCommand()} hooks validate" to see the source lines`;
}

/** The origin of a hook that is not in a file. */
export const BUILT_IN = "built-in";

// validate

export function hookCannotRun(hook: string, reason: string): string {
  return `${hook} does not run: ${reason}`;
}

/** The heading of the list of files. @param problems their number by severity, or an empty text */
export function checkedFiles(problems: string, files: number): string {
  return `${problems === "" ? "no problems" : problems}${files === 0 ? ": no settings files found" : " in"}`;
}

// test

/** The messages of the default transcript. */
export const TEST_REQUEST = "Do the task.";
export const TEST_REPLY = "I am done.";

export const INTERRUPTED = "interrupted";
export const INPUT = "Input";
export const USER_SEES = "The user sees";
export const AGENT_WOULD_BE_SENT = "Would be sent to the agent";
export const AGENT_MAY_STOP = "The agent may stop";
export const TURN_ENDS = "The turn ends";
export const NO_HOOK_RAN = "no hook ran";
export const WITH_NEXT_MESSAGE = "sent to the agent with your next message:";

export function skippedHook(hook: string, reason: string): string {
  return `${hook}  skipped: ${reason}`;
}

export function limitReached(limit: number): string {
  return `the limit of ${plural(limit, "continuation")} is reached (stopHooks.maxContinuations)`;
}

/** @param isShown whether its text follows */
export function outputStream(name: string, bytes: number, isShown: boolean): string {
  return `${name}, ${bytes} B${isShown ? ":" : " (not shown)"}`;
}

/** How a hook ended, if it did not exit. */
export const ENDS = {
  timedOut: "timed out",
  cancelled: "cancelled",
  lost: "connection lost",
  notStarted: "not started",
} as const;

export function exited(code: number): string {
  return `exit ${code}`;
}

// run

export const END = "end";
export const AGENT = "agent";
export const USER_TO_AGENT = "you → agent";
export const MUX_HOOKS_TO_AGENT = "mux-hooks → agent";

export function hooksToAgent(continuation: number): string {
  return `hooks → agent (continuation ${continuation})`;
}

export function streamError(error: string): string {
  return `error: ${error}`;
}

export function moreLines(count: number): string {
  return `… and ${count} more`;
}

export function turnEnded(why: string, continuations: number): string {
  const after = continuations === 0 ? "" : `, after ${plural(continuations, "continuation")}`;
  return `The turn ended: ${why}${after}.`;
}

/** Why a turn ended without a decision of hooks. */
export const LENGTH_LIMIT = "the model reached its length limit";
export const REFUSED = "the model refused";
export const AWAITS_ANSWER = "the agent waits for an answer";
export const TOOL_CALL_PENDING = "a tool call has no result yet";
export const STOPPED_AT_LIMIT =
  "the limit of continuations was reached while hooks still blocked the stop";

export function endedWithError(error: string): string {
  return `an error (${error})`;
}
