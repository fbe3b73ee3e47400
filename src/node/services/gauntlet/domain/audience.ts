/** Decides what the agent and the user see of a stop (G25a). No other module decides this. */
import { ownCommand } from "@/common/ownCommand";
import { clip, plural } from "@/common/text";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";
import { ALL_PASSED } from "@/node/services/gauntlet/messages/status";

/**
 * The rule for what the user is shown of an approval. `caveat`: a message only if the run verified less than
 * everything. A lasting fact, such as a missing base branch, is shown as well if it is new in the session, except with
 * `paused`, by which a message is shown only in a pause (G42).
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

export interface Audience {
  readonly decision: "block" | "approve";
  /** Whether the agent receives the reason to continue. */
  readonly agent: boolean;
  readonly person: PersonRule;
}

export function audienceOf(status: GauntletStatus): Audience {
  const blocks = isBlockingStatus(status);
  return { decision: blocks ? "block" : "approve", agent: blocks, person: PERSON[status] };
}

/** Joins the texts of two decisions about one stop, line by line, so that they have no more lines than one. */
export function joinMessages(texts: readonly { folder: string; text: string }[]): string {
  const lines = texts.map(({ folder, text }) =>
    text.split("\n").map((line) => `${folder}: ${line}`)
  );
  return [0, 1, 2]
    .flatMap(
      (i) =>
        lines
          .map((of) => of[i])
          .filter((line) => line !== undefined)
          .join("; ") || []
    )
    .join("\n");
}

/** What else the user learns at a stop, apart from its result. */
export interface News {
  /** Shown before the result: why an earlier stop was not verified. */
  readonly earlier?: readonly string[];
  /** Shown right after the result: what the agent said about it. */
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
  const { decision, person } = audienceOf(status);
  if (isSilent({ status, caveat })) return undefined;
  const blocks = decision === "block";
  // A pass whose only warning is shown as a fact has nothing else to show.
  const isFact = message === ALL_PASSED && found.length > 0;
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
  return [
    ...shown,
    `and ${plural(lines.length - shown.length, "note")}: ${ownCommand()} status`,
  ].join("\n");
}
