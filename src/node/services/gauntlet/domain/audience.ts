/** Who is shown what about a stop (G25a): the one place that decides it. */
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";

/**
 * What the person is shown of an approval. `caveat`: only where it verified less than everything. A standing fact that is
 * new in the session is shown as well, except with `never`.
 */
export type PersonRule = "always" | "caveat" | "never";

const PERSON: Readonly<Record<GauntletStatus, PersonRule>> = {
  passed: "caveat",
  passed_with_warnings: "always",
  no_applicable_gates: "caveat",
  no_changes: "caveat",
  // The agent gets the reason; a host that shows blocks shows the message with it.
  failed: "caveat",
  retry_limit_exceeded: "always",
  lock_exists: "always",
  infrastructure_error: "always",
  error: "always",
  no_config: "caveat",
  stop_hook_active: "caveat",
  stop_hook_disabled: "never",
  interval_not_elapsed: "caveat",
  invalid_input: "always",
};

export interface Audience {
  readonly decision: "block" | "approve";
  /** Whether the agent gets the reason to go on. */
  readonly agent: boolean;
  readonly person: PersonRule;
}

export function audienceOf(status: GauntletStatus): Audience {
  const blocks = isBlockingStatus(status);
  return { decision: blocks ? "block" : "approve", agent: blocks, person: PERSON[status] };
}

/**
 * The text for the person; undefined where the outcome is silent.
 *
 * @param news standing facts that the person was not shown in this session
 */
export function personMessage(
  { status, message, caveat, openGates = [] }: RunResult,
  news: readonly string[] = []
): string | undefined {
  const { person } = audienceOf(status);
  if (person === "never") return undefined;
  const isShown = person === "always" || caveat !== undefined;
  const logs = openGates.flatMap(({ jobId, logPath }) =>
    logPath === undefined ? [] : [`${jobId}: ${logPath}`]
  );
  const text = caveat === undefined ? message : `${message}: ${caveat}`;
  const lines = [...(isShown ? [text, ...logs] : []), ...news];
  return lines.length === 0 ? undefined : lines.join("\n");
}
