/**
 * Messages about the runs of hooks. They follow the name of the hook, as in `project:Stop[0] (./check.sh): killed by
 * SIGSEGV`. Notes are for the record only.
 */
import { clip } from "@/common/text";

// How a run ended.

export function endUnknown(problem: string): string {
  return `ended with an unknown result: ${problem}`;
}

export function notStarted(problem: string): string {
  return `could not be started: ${problem}`;
}

export function killedBySignal(signal: string): string {
  return `killed by ${signal}`;
}

/** @param origin `file:line` of the hook's settings, if it has any */
export function timedOut(seconds: number, origin: string | undefined): string {
  const where = origin === undefined ? "" : ` at ${origin}`;
  return `timed out after ${seconds} s; raise its "timeout" (in seconds)${where} if it needs more time`;
}

/** @param stderrLine the first line of standard error; may be empty */
export function failedWithExitCode(code: number, stderrLine: string): string {
  return `failed with exit code ${code}${stderrLine === "" ? "" : `: ${stderrLine}`}`;
}

/** An exception of the handler or of the engine. */
export function handlerFailed(problem: string): string {
  return `failed: ${problem}`;
}

/** A built-in hook of a host that breaks the contract. */
export const RETURNED_NO_OBJECT =
  "the function of the hook returned a value that is not an object; return an object or undefined";

/**
 * For the agent, if a hook with `failClosed: true` has failed.
 *
 * @param hook name and title
 * @param problems the warnings of the run
 */
export function failureBlocks(hook: string, problems: string): string {
  return `The hook ${hook} failed, so it is not known whether the work is done, and its settings do not allow a stop in that case (failClosed): ${problems}. If the cause is in your work, fix it. Otherwise report the failure to the user.`;
}

// Exit codes that disagree with the output.

/** For the agent, if a hook blocks by exit 2 and prints no reason. */
export function blockedWithoutReason(hookName: string): string {
  return `The hook ${hookName} blocked with exit code 2 and gave no reason.`;
}

/** For the user, in the same case. */
export const NO_REASON_ON_STDERR =
  "blocked with exit code 2 without a reason; print the reason on stderr";

const LOOKS_LIKE_PROGRAM_ERROR =
  "exit code 2 looks like a program error rather than a decision to block";

export const PROGRAM_ERROR_BLOCKS = `${LOOKS_LIKE_PROGRAM_ERROR}; check that the command of the hook works`;

/** The same error as at an earlier stop of the turn. */
export const PROGRAM_ERROR_REPEATED = `${LOOKS_LIKE_PROGRAM_ERROR}; the same error has already blocked in this turn, so it does not block again`;

/** Note on an exit code other than 0 and 2. */
export function exitCodeIgnored(code: number): string {
  return `exit code ${code} ignored, because the JSON output decides`;
}

/** Note on exit 2 with `continue: false`. */
export const END_OVERRIDES_EXIT_CODE =
  "exit code 2 ignored, because continue: false takes precedence";

/** Note on an output with `decision: "block"` and `continue: false`. */
export const END_OVERRIDES_BLOCK =
  'decision "block" ignored, because continue: false takes precedence';

/** A hook that the user has added in this turn, which can only block until the next one. */
export const END_NOT_EFFECTIVE_YET =
  "continue: false has no effect until your next message, because the hook was added during this turn";

/** @param variable with the path of `owner` */
export function pathNotQuoted(variable: string, owner: "project" | "plugin"): string {
  return `the path of the ${owner} has characters that a shell splits or expands; in the command of the hook, write "$${variable}" with the double quotes`;
}

// Output.

/** @param limit such as `1 MiB` */
export function jsonTruncated(limit: string): string {
  return `the JSON output was truncated at ${limit}, so it is treated as plain text, which contains no decision; print less`;
}

export const JSON_NOT_OBJECT =
  "the output is JSON but not an object, so it is treated as plain text, which contains no decision";

export function jsonInvalid(problem: string): string {
  return `the output begins with { but is not valid JSON (${problem}), so it is treated as plain text, which contains no decision; print one JSON object and nothing else`;
}

export const TEXT_BEFORE_JSON =
  "text precedes the JSON, so the whole output is treated as plain text, which contains no decision; print one JSON object and nothing else";

export const BLOCK_NEEDS_REASON =
  'decision "block" needs a reason; without one it counts as absent';

export function unknownDecision(decision: string): string {
  return `unknown decision "${clip(decision, 60)}", which counts as absent; use "block" or "approve"`;
}

export function fieldInvalid(name: string, type: string): string {
  return `the field "${name}" has the wrong type (${type}) and counts as absent`;
}

export const SPECIFIC_NOT_OBJECT =
  'the field "hookSpecificOutput" is not an object and counts as absent';

/** @param target the event that the output names; undefined if that is not a string */
export function otherEvent(target: string | undefined, event: string): string {
  const named = target === undefined ? "has no valid hookEventName" : `is for "${target}"`;
  return `hookSpecificOutput ${named} and is ignored; its hookEventName must be "${event}"`;
}

export const DECISION_IN_SPECIFIC =
  "the decision inside hookSpecificOutput is ignored; put it at the top level";

export const CONTEXT_NOT_STRING = "additionalContext is not a string and counts as absent";

/**
 * For the agent, in place of the middle of a long reason.
 *
 * @param path of the file with the complete text; undefined if it could not be written
 */
export function reasonShortened(chars: number, path: string | undefined): string {
  const full = path === undefined ? "the full text could not be saved" : `full text in ${path}`;
  return `[… shortened from ${chars} characters; ${full} …]`;
}

// Preparation of a run.

export function scriptCopyFailed(problem: string): string {
  return `the script did not run, because no copy of it could be created: ${problem}`;
}

/** No hook runs, because all of them would run on the workspace's machine. */
export function workspaceUnreachable(problem: string): string {
  return `no hook runs, because the workspace cannot be reached: ${problem}`;
}

/** @param machine that hooks run on */
export function transcriptNotCopied(machine: string, problem: string): string {
  return `the transcript could not be copied to ${machine}, so hooks that read it there will not find it: ${problem}`;
}

export function sendingInterrupted(path: string): string {
  return `the copy of ${path} is incomplete: interrupted`;
}
