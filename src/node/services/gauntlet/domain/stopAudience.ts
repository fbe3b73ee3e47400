/**
 * Decides by status what the agent and the user see of a stop, composes the text for the user, of at most three lines,
 * and summarizes a run in one line (G25, G25a).
 */
import { isFailure, isFixable } from "@/node/services/gauntlet/domain/gate";
import { MAX_UNCHANGED_STOPS } from "@/node/services/gauntlet/domain/episode";
import * as messages from "@/node/services/gauntlet/messages/shared";
import { shownCommand } from "@/common/ownCommandName";
import { clip, commandWord, plural } from "@/common/safeText";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";

/**
 * The rule for what the user is shown of an approval. `caveat`: a message only if the run verified less than
 * everything. A lasting fact, such as a missing base branch, is shown as well if it is new in the session. `paused`: as
 * `caveat`, but without a caveat, lasting facts are not shown either. The hook is then off, as in a pause (G42).
 */
export type PersonRule = "always" | "caveat" | "paused";

const PERSON: Readonly<Record<GauntletStatus, PersonRule>> = {
  passed: "caveat",
  passed_with_warnings: "always",
  no_applicable_gates: "caveat",
  no_changes: "caveat",
  // The agent receives the reason; a host that shows blocks shows the message with it.
  failed: "caveat",
  retry_limit_exceeded: "always",
  lock_exists: "always",
  infrastructure_error: "always",
  error: "always",
  no_config: "caveat",
  stop_hook_active: "caveat",
  stop_hook_disabled: "paused",
  interval_not_elapsed: "caveat",
  postponed: "always",
  invalid_input: "always",
};

/** Returns who sees what of a status. `agent`: whether it receives the reason to continue. */
export function audienceOf(status: GauntletStatus) {
  const agent = isBlockingStatus(status);
  return { decision: agent ? "block" : "approve", agent, person: PERSON[status] } as const;
}

/** Joins the texts of two decisions about one stop, line by line, so that they have no more lines than one. */
export function joinMessages(texts: readonly { folder: string; text: string }[]): string {
  const lines = texts.map(({ folder, text }) =>
    text.split("\n").map((line) => `${folder}: ${line}`)
  );
  const rows = [0, 1, 2].map((i) => lines.flatMap((of) => of[i] ?? []).join("; "));
  return rows.filter((row) => row !== "").join("\n");
}

/** The texts for the user at a stop, besides its result. */
export interface News {
  /** Shown before the result: why an earlier stop was not verified. */
  readonly earlier?: readonly string[];
  /** Shown right after the result: the agent's last message. */
  readonly lastMessage?: readonly string[];
  /** Lasting facts, and others, that the user has not been shown in this session. */
  readonly facts?: readonly string[];
  /** Those of the facts that are about something that weakens the gates. */
  readonly weakened?: ReadonlySet<string>;
  /** Whether the host does not show the message of a block with it. */
  readonly withBlock?: boolean;
}

/** Returns whether the user is shown neither the outcome nor the lasting facts. */
export function isSilent({ status, caveat }: Pick<RunResult, "status" | "caveat">): boolean {
  return PERSON[status] === "paused" && caveat === undefined;
}

const MAX_LINES = 3;
const MAX_LINE_CHARS = 4_000;

/**
 * Returns the text for the user, or undefined if the outcome is not shown: at most three lines. The first one is about
 * what was not verified, the next one about what weakens the gates. `status` shows the rest, if it does not fit.
 */
export function personMessage(
  { status, message, caveat, openGates = [], weakened: found = [] }: RunResult,
  { earlier = [], lastMessage = [], facts = [], weakened = new Set(), withBlock = false }: News = {}
): string | undefined {
  if (isSilent({ status, caveat })) return undefined;
  const { agent: blocks, person } = audienceOf(status);
  // A pass whose only warning is shown as a fact has nothing else to show.
  const isFact = message === messages.ALL_PASSED && found.length > 0;
  const isShown = caveat !== undefined || (person === "always" && !isFact);
  // A host that shows a block shows the message with it.
  const hasMessage = blocks ? withBlock : isShown;
  const text = [...(hasMessage ? [message] : []), ...(caveat === undefined ? [] : [caveat])];
  const verdict = [...earlier, ...(text.length === 0 ? [] : [text.join(blocks ? "\n" : ": ")])];
  const [first = "", ...details] = verdict.join("; ").split("\n");
  const weak = facts.filter((fact) => weakened.has(fact)).join("; ");
  const logs = openGates.flatMap(({ jobId, logPath }) =>
    hasMessage && logPath !== undefined ? [`${jobId}: ${logPath}`] : []
  );
  const notes = facts.filter((fact) => !weakened.has(fact)).flatMap((fact) => fact.split("\n"));
  const lines = [first, weak.replaceAll("\n", " "), ...lastMessage, ...details, ...logs, ...notes]
    .filter((line) => line.trim() !== "")
    .map((line) => clip(line, MAX_LINE_CHARS));
  if (lines.length <= MAX_LINES) return lines.length === 0 ? undefined : lines.join("\n");
  const shown = lines.slice(0, MAX_LINES - 1);
  const more = `and ${plural(lines.length - shown.length, "note")}: ${shownCommand()} status`;
  return [...shown, more].join("\n");
}

// The message of a result (G25).

type ResultSummary = Pick<RunResult, "gates" | "skipped"> & Partial<RunResult>;

/** Summarizes a run in one line. */
export function describeResult(status: GauntletStatus, summary: ResultSummary): string {
  const { errorMessage } = summary;
  switch (status) {
    case "passed":
      return `${messages.ALL_PASSED}${filesNote(summary)}`;
    case "passed_with_warnings":
      return `${passedWithWarnings(summary)}${filesNote(summary)}`;
    case "no_applicable_gates":
      return `${messages.NO_GATES_MATCH}${filesNote(summary)}`;
    case "no_changes":
      return "no changes";
    case "failed":
      return describeFailure(summary);
    case "retry_limit_exceeded":
      return describeExhaustion(summary);
    case "infrastructure_error":
    case "error":
      return `${errorMessage?.split("\n", 1)[0] ?? "the run failed for an unknown reason"}; the changes were not verified`;
    case "lock_exists":
      return `another gauntlet is already running${errorMessage === undefined ? "" : `: ${errorMessage}`}; no gate was run; the next stop runs them`;
    case "no_config":
      return messages.NO_CONFIG;
    case "stop_hook_active":
      return (
        errorMessage ??
        "allowed to prevent an infinite loop: a Stop hook is already active, so this stop was not checked"
      );
    case "stop_hook_disabled":
      return errorMessage ?? messages.turnedOffBy();
    case "interval_not_elapsed":
      return (
        errorMessage ?? "no gate was run, because the minimum time between two runs has not passed"
      );
    case "postponed":
      return errorMessage ?? "postponed: the agent waits for agents in the background";
    case "invalid_input":
      return 'the input could not be parsed: the standard input of "agent-gauntlet stop-hook" must be one JSON object';
  }
}

/** Returns the number of gates without files, or an empty text. They did not pass. */
function filesNote({ gates }: ResultSummary): string {
  const count = gates.filter(({ outcome }) => outcome === "no_files").length;
  return count === 0 ? "" : `, ${plural(count, "gate")} had no files`;
}

function describeFailure({ gates, attempt, maxAttempts }: ResultSummary): string {
  const names = gates.filter(isFixable).map(({ jobId }) => jobId);
  const others = gates.filter((gate) => isFailure(gate) && !isFixable(gate));
  const open = others.length === 0 ? "" : `; no verdict: ${others.map((g) => g.jobId).join(", ")}`;
  const count = maxAttempts === undefined ? "" : `, attempt ${attempt ?? 1} of ${maxAttempts}`;
  if (names.length === 0) return `earlier failures are not resolved${count}${open}`;
  return `${names.length} of ${plural(gates.length, "gate")} failed: ${names.join(", ")}${count}${open}`;
}

function describeExhaustion({ gates, openGates, unchangedStops = 0 }: ResultSummary): string {
  const failed = openGates ?? gates.filter(isFailure);
  const ids = failed.map(({ jobId }) => jobId);
  const shown = clip(ids.join(", "), 2_000);
  // Only the user sees this message (G42).
  const gate =
    gates.find(({ jobId }) => jobId === ids[0])?.gate ??
    // A stop after the limit starts no run, so there is only the ID.
    /^\w+:[^:]*:(.+?)(?:#\d+)?$/s.exec(ids[0] ?? "")?.[1];
  const word = commandWord(gate ?? "");
  const pause = `; to skip a gate for a turn, run "${shownCommand()} pause --gate ${word}" in a terminal`;
  const ways = `${messages.startOver()}${gate === undefined ? "" : pause}`;
  if (unchangedStops >= MAX_UNCHANGED_STOPS)
    return `not verified: no file changed since the gates failed, and the agent stopped; unresolved: ${shown}; ${ways}`;
  const open = shown === "" ? "" : `; unresolved: ${shown}`;
  return `retry limit exceeded, human review needed${open}; ${ways}`;
}

function passedWithWarnings({ skipped, gates }: ResultSummary): string {
  const flaky = gates.filter((gate) => gate.flaky === true).length;
  const known = gates.reduce((sum, gate) => sum + (gate.known?.count ?? 0), 0);
  const fixed = new Set(gates.flatMap(({ fixedFiles = [] }) => fixedFiles)).size;
  return [
    known === 0 ? messages.ALL_PASSED : `no new failure, ${plural(known, "known failure")}`,
    ...(skipped.length === 0 ? [] : [`${plural(skipped.length, "issue")} skipped`]),
    ...(flaky === 0 ? [] : [plural(flaky, "flaky check")]),
    ...(fixed === 0 ? [] : [`${plural(fixed, "file")} fixed`]),
  ].join(", ");
}
