/** The parts of the reason that sends an agent back to work (G26). */
import { plural } from "@/common/text";

export const FIRST_LINE = "Gauntlet gates did not pass.";
export const FIX_NOW = "**Fix these failures now.**";

/** Appears only if the caller verifies fixes (G27). */
export const ONLY_WHEN_DONE =
  'You cannot stop until one of the conditions under "When you may stop" is true.';
export const CHECKED_AGAIN =
  "The gates run again when you next try to stop. You do not have to run the gauntlet.";

/** Appears in the last reason of a turn, because some hosts show the user only the agent's answer (G26). */
export const LAST_TRY =
  'This is the last attempt: your next stop is allowed even if gates fail. If you cannot make them pass, end your answer with "not verified" and the names of the failed gates.';

/** Appears if a review failed. */
export const TRUST = `**Trust level: medium.** Fix violations that you reasonably agree with or believe the user wants fixed. Skip violations that are purely a matter of style or taste, or that you believe the user would not want fixed. A failed check cannot be skipped.

**The violations that a review reported** are in its JSON file. Set "status" to "fixed" with a short "result" for each that you fix, and to "skipped" with your reason as "result", in at least three words, for each that you skip.`;

export const ENDS = `**When you may stop:**
- "Status: Passed": all gates passed
- "Status: Passed with warnings": the remaining violations were skipped
- "Status: Retry limit exceeded": human review is needed`;

/**
 * The whole reason if nothing changed since the last failed stop (G38). Begins with {@link FIRST_LINE}, and
 * {@link isReason} recognizes it.
 *
 * @param findings the findings of all failed gates
 * @param isLast whether the next stop is allowed if nothing changes (G19)
 * @param isLastTry whether the next stop is allowed in any case (G19)
 */
export function unchangedFailures(
  gates: RepeatedGates,
  findings: RepeatedFindings,
  console: string | undefined,
  isLast: boolean,
  isLastTry: boolean
): string {
  const count = plural(gates.names.length + gates.more, "gate");
  const rest = gates.more === 0 ? "" : ` … and ${gates.more} more`;
  const same = findings.count === 0 ? "" : ` with the same ${plural(findings.count, "finding")}`;
  const lists = findings.paths.length === 0 ? "" : ` Full list: ${findings.paths.join(", ")}.`;
  const next = isLast ? ` ${RELEASED_NEXT}` : isLastTry ? ` ${LAST_TRY}` : "";
  const log = console === undefined ? "" : ` ${readLog(console)}`;
  return `${FIRST_LINE} ${UNCHANGED} the same ${count} failed${same}: ${gates.names.join(", ")}${rest}. Fix this, or explain to the user why you cannot.${next}${lists}${log}`;
}

const RELEASED_NEXT =
  'If nothing changes, you may stop next time, and the user sees your last message with the failed gates: end it with "not verified".';

interface RepeatedGates {
  /** Those that fit. */
  readonly names: readonly string[];
  /** The number of the others. */
  readonly more: number;
}

interface RepeatedFindings {
  readonly count: number;
  /** The lists of the findings that fit. */
  readonly paths: readonly string[];
}

const UNCHANGED = "No file changed since your last stop, and";

/** Returns whether a message to an agent contains the reason of a failed stop. */
export function isReason(text: string): boolean {
  const [, ...rests] = text.split(FIRST_LINE);
  return rests.some((rest) => {
    const lines = rest.slice(rest.indexOf("\n"));
    return rest.startsWith(` ${UNCHANGED}`) || lines.startsWith(`\n\n${FIX_NOW}`);
  });
}

export function readLog(path: string): string {
  return `Read ${path} for details.`;
}

/** The rest of the first line, which some hosts show the user. */
export function failedGates(
  { names, more }: RepeatedGates,
  { gates, attempt, maxAttempts }: Attempt
): string {
  const count = maxAttempts === undefined ? "" : `, attempt ${attempt ?? 1} of ${maxAttempts}`;
  if (names.length === 0) return `Gates of an earlier run are not resolved${count}.`;
  const rest = more === 0 ? "" : ` … and ${more} more`;
  const total = plural(gates.length, "gate");
  return `${names.length + more} of ${total} failed: ${names.join(", ")}${rest}${count}.`;
}

interface Attempt {
  /** Those of the run. */
  readonly gates: readonly unknown[];
  readonly attempt?: number | undefined;
  readonly maxAttempts?: number | undefined;
}

export function moreGates(count: number): string {
  return `… and ${plural(count, "more failed gate")}; see the console log, whose path is below.`;
}

export function moreReviewers(count: number): string {
  return `… and ${plural(count, "more reviewer")}; see the console log, whose path is below.`;
}

export function moreViolations(count: number): string {
  return `… and ${plural(count, "more violation")} in the JSON file`;
}

export function slotFailed(name: string): string {
  return `${name} failed`;
}

/** Appears if a reviewer returned no usable answer. */
export function slotWithoutAnswer(name: string): string {
  return `${name} returned no answer`;
}
