/**
 * Describes the verdict of a stop: the reason why a turn ends, and whether all hooks allowed it, or the message with
 * which the agent continues (H18). Also determines why no hook runs after a turn (H28).
 */
import type * as contract from "@/node/services/hooks/contract/types";
import * as messages from "@/node/services/hooks/messages/shared";
import { listFiles } from "@/node/services/hooks/settings/hookDefinitions";

/** The decision about one stop. */
export type StopVerdict =
  /** The turn ends. `unverified` is set if hooks had to decide, and not all of them allowed the stop. */
  | { action: "end"; reason: string; unverified?: true }
  /** The agent continues. `message` is exactly what to send to it. */
  | { action: "continue"; message: string; continuation: number };

type End = Extract<StopVerdict, { action: "end" }>;

/** Returns `the hooks allowed the stop` only if every hook that was waited for ran and allowed it. */
export function describeEnd(
  { runs = [], skipped = [], warnings = [] }: contract.StopHooksResult,
  { diagnostics }: Pick<contract.HookSettings, "diagnostics"> = { diagnostics: [] }
): End {
  const ending = runs.find(({ outcome }) => outcome === "end");
  if (ending !== undefined)
    return { action: "end", reason: `${ending.name} returned continue: false` };
  const failed = namesOf(runs, "failed");
  const unverified = runs.flatMap((run) => (run.unverified === true ? [run.name] : []));
  const allowed = namesOf(runs, "pass").filter((name) => !unverified.includes(name));
  const limited = namesOf(runs, "ignored");
  const notRun = skipped
    .filter(
      ({ visible, reason, hook }) =>
        (visible && !reason.endsWith(messages.RUNS_IN_ITS_PLACE)) ||
        reason === messages.NOT_TRUSTED ||
        hook.handler.type === "unsupported"
    )
    .map(({ hook }) => hook.name);
  const invalid = diagnostics.flatMap(({ severity, file }) => (severity === "error" ? [file] : []));
  const problems = [failed, unverified, limited, notRun, invalid];
  if (problems.some((names) => names.length > 0)) {
    const parts: [names: readonly string[], what: string][] = [
      [allowed, "allowed the stop"],
      [failed, "failed without a decision"],
      [unverified, "did not verify everything"],
      [limited, "had reached the loop_limit"],
      [notRun, "did not run"],
      // Files of settings, whose invalid parts are skipped.
      [[...new Set(invalid)], "could not be read completely"],
    ];
    const nonEmpty = parts.filter(([names]) => names.length > 0);
    return unverifiedEnd(nonEmpty.map(([names, what]) => `${listFiles(names)} ${what}`).join("; "));
  }
  if (runs.length === 0 && warnings.length > 0) return unverifiedEnd("no hook ran");
  const reason =
    allowed.length > 0 ? "the hooks allowed the stop" : "all hooks run in the background";
  return { action: "end", reason: runs.length === 0 ? "no hook had to run" : reason };
}

/** Returns the end of a turn that not all hooks allowed. */
export function unverifiedEnd(reason: string): End {
  return { action: "end", reason, unverified: true };
}

function namesOf(runs: readonly contract.HookRun[], wanted: contract.HookRun["outcome"]): string[] {
  return runs.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
}

/** Returns the exact message to the agent: a heading that names the event, and the joined reasons. */
export function continuationMessage(
  event: contract.HookEventName,
  {
    continueKind,
    continueReason,
  }: Pick<contract.StopHooksResult, "continueKind" | "continueReason">
): string {
  return `${messages.continuationHeading(event, continueKind === "feedback")}\n${continueReason ?? ""}`;
}

/** How a turn ended. Only with `stop` does the agent consider its work done. */
export type TurnFinish =
  | "stop"
  | "interrupted"
  | "error"
  | "refusal"
  /** Cut off by the model's length limit. */
  | "length"
  /** A question or a plan is waiting for the user. */
  | "question"
  /** A tool call has not finished. */
  | "toolCalls";

export interface TurnEnd {
  readonly finish: TurnFinish;
  /** Whether the turn only compacted the history. */
  readonly compaction?: boolean;
  /** Whether it is an internal agent of the host, such as one that names a chat. */
  readonly internalAgent?: boolean;
  /** Returns whether a message of the user is queued. Called before the hooks and after them. */
  readonly hasQueuedInput: () => boolean;
}

/** Returns the reason, for a log, why no hook runs at this end, or undefined if hooks run. */
export function whyNoHooks(turn: TurnEnd, env: NodeJS.ProcessEnv): string | undefined {
  if (turn.finish !== "stop") return `the turn did not end by itself (${turn.finish})`;
  if (turn.compaction === true) return "hooks do not run after a compaction";
  if (turn.internalAgent === true) return "hooks do not run for an internal agent of the host";
  if (turn.hasQueuedInput()) return messages.USER_MESSAGE_FIRST;
  // Otherwise an agent that a hook starts would start that hook again, endlessly.
  if (env.MUX_HOOK_EVENT) return "this program was started by a hook (MUX_HOOK_EVENT is set)";
  return undefined;
}
