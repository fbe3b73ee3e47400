/** Decides what the agent and the user see of a stop (G25a). No other module decides this. */
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";

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

/**
 * Returns the text for the user, or undefined if the outcome is not shown.
 *
 * @param news lasting facts that the user has not been shown in this session
 */
export function personMessage(
  { status, message, caveat, openGates = [] }: RunResult,
  news: readonly string[] = []
): string | undefined {
  const { person } = audienceOf(status);
  if (person === "paused" && caveat === undefined) return undefined;
  const isShown = person === "always" || caveat !== undefined;
  const logs = openGates.flatMap(({ jobId, logPath }) =>
    logPath === undefined ? [] : [`${jobId}: ${logPath}`]
  );
  // A host that shows a block shows the message with it.
  const text =
    caveat === undefined ? message : status === "failed" ? caveat : `${message}: ${caveat}`;
  const lines = [...(isShown ? [text, ...logs] : []), ...news];
  return lines.length === 0 ? undefined : lines.join("\n");
}
