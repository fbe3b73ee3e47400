/** Messages about a stop as a whole: why hooks do not run, why a turn ends, and what changed within it. */
import { plural } from "@/common/text";
import { endUnknown } from "@/node/services/hooks/messages/execution";

// Why no hook runs at the end of a turn, for a log.

/** @param finish name of the kind of end */
export function notFinished(finish: string): string {
  return `the turn did not end by itself (${finish})`;
}

export const COMPACTION = "hooks do not run after a compaction";
/** @param count of hooks that came with the checkout */
export function trustedWithoutPolicy(count: number): string {
  return `${plural(count, "hook")} of the checkout ran without a check of trust, because the program that called runStopHooks set no trust; it should set trust to userTrust(runtime), or to "everything"`;
}

export const INTERNAL_AGENT = "hooks do not run for an internal agent of the host";
export const USER_MESSAGE_FIRST = "a queued message of the user goes first";
export const STARTED_BY_HOOK = "this program was started by a hook (MUX_HOOK_EVENT is set)";

// Why one hook does not run at this stop.

/** @param reason one of the following, or of the other files of this folder */
export function hookSkipped(hookName: string, reason: string): string {
  return `${hookName} does not run: ${reason}`;
}

export const ALL_TURNED_OFF = "all hooks are turned off by disableAllHooks";
export const TURNED_OFF = "turned off by enabled: false";

export function matcherNotMet(agentType: string): string {
  return `its matcher does not match the agent type "${agentType}"`;
}

export function builtinUnknown(name: string): string {
  return `there is no built-in handler named "${name}"`;
}

// Why a turn ends, for a log and the end of a run.

export const INTERRUPTED_TURN = "interrupted while hooks ran";

/** The user has typed a message while the hooks ran. */
export const DECISION_IGNORED = `${USER_MESSAGE_FIRST}, so the decision of the hooks is ignored`;

export const HOOKS_ALLOWED = "the hooks allowed the stop";
export const ALL_IN_BACKGROUND = "all hooks run in the background";
/** There are warnings that explain it. */
export const NO_HOOK_RAN = "no hook ran";
export const NO_HOOK_NEEDED = "no hook had to run";

export function hookEndedTurn(hookName: string): string {
  return `${hookName} returned continue: false`;
}

/** Lists what each hook did. Each value is a list of names, or empty. */
export function mixedEnd(names: {
  readonly allowed: string;
  readonly failed: string;
  /** Verified nothing, or not everything. */
  readonly unverified: string;
  /** Had reached their own limit. */
  readonly limited: string;
  readonly notRun: string;
}): string {
  return [
    [names.allowed, "allowed the stop"],
    [names.failed, "failed without a decision"],
    [names.unverified, "did not verify everything"],
    [names.limited, "had reached the loop_limit"],
    [names.notRun, "did not run"],
  ]
    .flatMap(([list, what]) => (list === "" ? [] : [`${list} ${what}`]))
    .join("; ");
}

/** @param requests each hook that still requests a continuation, with its reason */
export function limitReached(maxContinuations: number, requests: readonly string[]): string {
  const continuations = plural(maxContinuations, "continuation");
  return `the agent stops now, after ${continuations} in this turn, which is the limit (stopHooks.maxContinuations); hooks that still request a continuation: ${requests.join("; ")}`;
}

/**
 * A hook that may request no more continuations in this turn. Follows the name of the hook.
 *
 * @param origin `file:line` of its settings, if it has any
 * @param request the first line of what it returned; may be empty
 */
export function loopLimitReached(
  limit: number,
  origin: string | undefined,
  request: string
): string {
  const where = origin === undefined ? "" : ` at ${origin}`;
  const what = request === "" ? "" : `: ${request}`;
  return `its decision has no effect, because it has requested ${plural(limit, "continuation")} in this turn, which is its limit ("loop_limit"${where}); it still returned${what === "" ? " a decision" : what}`;
}

/** Heading of the message that sends the agent back (H18). Hosts and hooks rely on the exact text. */
export function continuationHeading(event: string, isFeedback: boolean): string {
  return `[${event} ${isFeedback ? "hook feedback" : "hook requested continuation"}]`;
}

/** A background hook with `asyncRewake` that exited with 2 (H41). */
export function backgroundFinding(
  { name, title }: { readonly name: string; readonly title: string },
  finding: string
): string {
  return `${name} (${title}) ran in the background and found a problem, which the agent gets with your next message:\n${finding}`;
}

// Failures that concern all hooks of a stop.

export function hooksFailed(problem: string): string {
  return `the hooks could not be run: ${problem}`;
}

export function settingsNotLoaded(problem: string): string {
  return `the hook settings could not be loaded: ${problem}`;
}

export function runsNotRecorded(problem: string): string {
  return `the runs of the hooks could not be recorded, which does not change their decision: ${problem}`;
}

/** A connection was lost while several hooks ran. */
export function severalEndsUnknown(firstHook: string, others: number, problem: string): string {
  return `${firstHook} and ${plural(others, "other hook")} ${endUnknown(problem)}`;
}

// Changes since the turn began (H7).

/** @param files a list of names */
export function checkoutChanged(files: string): string {
  return `${files}: changed since the turn began; this turn keeps its hooks, and the change takes effect from your next message, if it is trusted by then`;
}

/** @param files a list of names */
export function userSettingsChanged(files: string): string {
  return `${files}: changed since the turn began; an added hook runs now, but until your next message it can only block the stop (continue: false has no effect); every other change takes effect from your next message`;
}

/** @param files a list of names */
export function changedBetweenTurns(files: string): string {
  return `${files}: changed since your last message; the change takes effect now`;
}

/** @param file with the hook's settings, if it is known */
export function hookAdded(hook: string, file = "the user's settings"): string {
  return `${hook}, in ${file}, was added during this turn; until your next message it can only block the stop (continue: false has no effect)`;
}

/** A program of the project, or the folder of a plugin in it, that a command uses. */
export function programChanged(name: string, path: string): string {
  return `${name}: a hook runs this program of the project (${path}), which changed since the turn began; the changed version runs`;
}

/** Why no hook runs at a stop that is reported after the session was disposed of. */
export const SESSION_ENDED = "no hooks ran, because the session has ended";
