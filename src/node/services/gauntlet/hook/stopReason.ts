/**
 * Builds the reason, the text that sends an agent back to work if its gates did not pass: their names, findings and
 * ends of logs, as far as they fit into a budget, and when it may stop (G26). It is one line if nothing changed (G38).
 */
import { KIB } from "@/common/limits";
import { clip, visible, plural } from "@/common/safeText";
import { MAX_UNCHANGED_STOPS } from "@/node/services/gauntlet/domain/episode";
import { isFixable, type GateResult, type SlotResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { countedFiles } from "@/node/services/gauntlet/messages/autoFixes";
import { FIRST_LINE, FIX_NOW, UNCHANGED } from "@/node/services/gauntlet/messages/shared";
import * as excerpts from "@/node/services/gauntlet/reason/logExcerpts";
import * as findingTexts from "@/node/services/gauntlet/reason/findingTexts";
import type { Files } from "@/node/runtime/HookRuntime";

export interface ReasonOptions {
  /** The maximum size that the calling host accepts; by default 8,000. */
  readonly maxChars?: number;
  /** Whether the caller verifies fixes, so that the agent can stop only when the gates pass (G27). */
  readonly canStopOnlyWhenDone?: boolean;
  /** Whether the caller does not ask about the next stop, so that it is allowed. */
  readonly isOnlyTry?: boolean;
}

const MAX_CHARS = 8_000;
/** In tokens, which are counted as four characters (G37). */
const DEFAULT_BUDGET = 1_500;
const MAX_MESSAGE_CHARS = 600;
const MAX_FIXED_CHARS = 800;
const MAX_SLOTS = 5;
const MAX_VIOLATIONS = 20;
const MAX_REPEATED = 5;
const MAX_LOG_BYTES = 32 * KIB;
/** Maximum share of the space that the fixed texts leave, for the names of the failed gates. */
const MAX_NAMES_SHARE = 0.5;
/** Maximum share of the space that the names leave, for the details of gates. The rest is for excerpts of logs. */
const MAX_DETAILS_SHARE = 0.7;

/** Appears only if the caller verifies fixes (G27). */
const ONLY_WHEN_DONE =
  'You cannot stop until one of the conditions under "When you may stop" is true.';
const CHECKED_AGAIN =
  "The gates run again when you next try to stop. You do not have to run the gauntlet.";

/** Appears in the last reason of a turn, because some hosts show the user only the agent's answer (G26). */
const LAST_TRY =
  'This is the last attempt: your next stop is allowed even if gates fail. If you cannot make them pass, end your answer with "not verified" and the names of the failed gates.';
/** Appears if the next stop is allowed unless something changes (G19). */
const RELEASED_NEXT =
  'If nothing changes, you may stop next time, and the user sees your last message with the failed gates: end it with "not verified".';

/** Appears if a review failed. */
const TRUST = `**Trust level: medium.** Fix violations that you reasonably agree with or believe the user wants fixed. Skip violations that are purely a matter of style or taste, or that you believe the user would not want fixed. A failed check cannot be skipped.

**The violations that a review reported** are in its JSON file. Set "status" to "fixed" with a short "result" for each that you fix, and to "skipped" with your reason as "result", in at least three words, for each that you skip.`;

const ENDS = `**When you may stop:**
- "Status: Passed": all gates passed
- "Status: Passed with warnings": the remaining violations were skipped
- "Status: Retry limit exceeded": human review is needed`;

const SEE_CONSOLE = "see the console log, whose path is below.";

/**
 * Builds the reason. Stays under `maxChars` regardless of how many gates failed: includes the names, details and logs
 * that fit, and counts the rest.
 */
export async function stopReason(
  files: Files,
  result: RunResult,
  { maxChars = MAX_CHARS, canStopOnlyWhenDone = true, isOnlyTry = false }: ReasonOptions = {}
): Promise<string> {
  // The agent cannot fix what could not be verified.
  const failed = result.gates.filter(isFixable);
  const { attempt, maxAttempts = 0 } = result;
  const isLastTry = isOnlyTry || attempt === maxAttempts - 1;
  if (result.isRepeated === true) return unchanged(failed, result, isLastTry);
  const budget = (result.reasonBudget ?? DEFAULT_BUDGET) * 4;
  const limit = Math.min(maxChars, MAX_CHARS, budget);
  const head = [
    FIX_NOW,
    ...(canStopOnlyWhenDone ? [ONLY_WHEN_DONE] : []),
    ...(isOnlyTry ? [] : [CHECKED_AGAIN]),
    ...(isLastTry ? [LAST_TRY] : []),
  ];
  const console = result.consoleLogPath;
  const tail = [
    ...(console === undefined ? [] : [`Read ${console} for details.`]),
    ...(failed.some(({ kind }) => kind === "review") ? [TRUST] : []),
    ENDS,
  ];
  const fixedFiles = [...new Set(result.gates.flatMap((gate) => gate.fixedFiles ?? []))];
  if (fixedFiles.length > 0) {
    // The agent may have other content of these files in mind.
    const named = countedFiles(fixedFiles.map((file) => excerpts.shownName(file)));
    const text = `Before the gates ran, fixes of the project changed ${named}. Read them again before you edit them.`;
    head.push(clip(text, MAX_FIXED_CHARS));
  }
  const frame = [FIRST_LINE, head.join(" "), ...tail];
  // Leave room for blank lines between the parts, and for the marks of omitted text.
  let left = limit - frame.join("\n\n").length - 200;
  const names = namesOf(failed, result, left * MAX_NAMES_SHARE);
  left -= names.length;
  const gates = await describeGates(files, failed, left);
  const first = `${FIRST_LINE} ${names}`;
  return [first, head.join(" "), ...gates, ...tail].filter((part) => part !== "").join("\n\n");
}

/** Returns one short line (G38). The agent got the details at its last stop. */
function unchanged(
  failed: readonly GateResult[],
  { consoleLogPath, unchangedStops = 0 }: RunResult,
  isLastTry: boolean
): string {
  const names = failed.slice(0, MAX_REPEATED).map(({ jobId }) => excerpts.shownName(jobId, 80));
  const more = failed.length - names.length;
  const count = failed.reduce((sum, { findings = [] }) => sum + findings.length, 0);
  const paths = failed.flatMap(({ findingsPath }) => findingsPath ?? []).slice(0, 3);
  const isReleased = unchangedStops === MAX_UNCHANGED_STOPS - 1;
  const rest = more === 0 ? "" : ` … and ${more} more`;
  const same = count === 0 ? "" : ` with the same ${plural(count, "finding")}`;
  const next = isReleased ? ` ${RELEASED_NEXT}` : isLastTry ? ` ${LAST_TRY}` : "";
  const lists = paths.length === 0 ? "" : ` Full list: ${paths.join(", ")}.`;
  const log = consoleLogPath === undefined ? "" : ` Read ${consoleLogPath} for details.`;
  return `${FIRST_LINE} ${UNCHANGED} the same ${plural(failed.length, "gate")} failed${same}: ${names.join(", ")}${rest}. Fix this, or explain to the user why you cannot.${next}${lists}${log}`;
}

/** Returns the rest of the first line, which some hosts show the user, with as many names as fit. */
function namesOf(failed: readonly GateResult[], result: RunResult, max: number): string {
  const { gates, attempt = 1, maxAttempts } = result;
  const names = failed.map(({ jobId }) => excerpts.shownName(jobId));
  const count = maxAttempts === undefined ? "" : `, attempt ${attempt} of ${maxAttempts}`;
  let shown = names.length;
  const text = (): string => {
    if (names.length === 0) return `Gates of an earlier run are not resolved${count}.`;
    const rest = shown === names.length ? "" : ` … and ${names.length - shown} more`;
    const listed = names.slice(0, shown).join(", ");
    return `${names.length} of ${plural(gates.length, "gate")} failed: ${listed}${rest}${count}.`;
  };
  while (shown > 1 && text().length > max) shown--;
  return clip(text(), Math.max(0, Math.floor(max)));
}

/** Describes each gate that fits: its command, folder and log path, or its reviewers, and an excerpt of its log. */
async function describeGates(
  files: Files,
  failed: readonly GateResult[],
  budget: number
): Promise<string[]> {
  const places: string[] = [];
  let left = budget;
  for (const gate of failed) {
    const place = clip(await describePlace(files, gate), Math.max(0, Math.floor(left)));
    if (places.length > 0 && budget - left + place.length > budget * MAX_DETAILS_SHARE) break;
    places.push(place);
    left -= place.length + 2;
  }
  const rest = failed.length - places.length;
  const shown = failed.slice(0, places.length);
  // The log of a check with known failures mixes them with the new ones, which are listed.
  const logs = await Promise.all(
    shown.map((gate) =>
      gate.known === undefined ? excerpts.endOfLog(files, gate, MAX_LOG_BYTES) : Promise.resolve("")
    )
  );
  // Findings come first. Logs of gates without findings share the space with them, and the other logs get the rest.
  const lists = excerpts
    .shareOut(
      left,
      shown.map(
        (gate, i) => findingTexts.findingsLength(gate) ?? excerpts.quotedLength(logs[i] ?? "")
      )
    )
    .map((share, i) => findingTexts.shownFindings(shown[i], share));
  left -= lists.reduce((sum, text) => sum + (text === undefined ? 0 : text.length + 1), 0);
  const ends = excerpts.compacted(
    logs.map((log, i) => findingTexts.withoutFindings(log, shown[i])),
    left
  );
  const shares = excerpts.shareOut(left, ends.map(excerpts.quotedLength));
  const described = places.map((place, i) =>
    [place, lists[i] ?? "", excerpts.excerpt(ends[i] ?? "", shares[i] ?? 0)]
      .filter((part) => part !== "")
      .join("\n")
  );
  if (rest > 0) described.push(`… and ${plural(rest, "more failed gate")}; ${SEE_CONSOLE}`);
  return described;
}

async function describePlace(files: Files, gate: GateResult): Promise<string> {
  const { message, logPath, slots, command, folder, known, explanation } = gate;
  const jobId = excerpts.shownName(gate.jobId);
  if (slots !== undefined) {
    const wrong = slots.filter(({ outcome }) => outcome === "failed" || outcome === "error");
    const shown = wrong.slice(0, MAX_SLOTS);
    // Before the violations, which may be long.
    const paths = shown.flatMap(({ jsonPath: path }) => (path ? `  Review: ${path}` : []));
    const slotTexts = await Promise.all(shown.map((slot) => describeSlot(files, slot)));
    const rest = wrong.length - shown.length;
    const more = rest > 0 ? [`  … and ${plural(rest, "more reviewer")}; ${SEE_CONSOLE}`] : [];
    return [`- ${jobId}`, ...paths, ...slotTexts, ...more].join("\n");
  }
  const isOwn = message !== undefined && excerpts.isOwnMessage(message);
  return [
    `- ${jobId}${isOwn ? `: ${message}` : ""}`,
    ...(message === undefined || isOwn
      ? []
      : [excerpts.quoted(clip(visible(message), MAX_MESSAGE_CHARS))]),
    ...(explanation === undefined ? [] : [`  ${explanation.text}`]),
    ...(explanation?.about ?? []).map((text) => excerpts.quoted(clip(visible(text), 200))),
    ...(command === undefined ? [] : [`  Command: ${clip(visible(command), 300)}`]),
    ...(folder === undefined ? [] : [`  Folder: ${excerpts.shownName(folder, 1_000)}`]),
    ...(logPath === undefined ? [] : [`  Log: ${logPath}`]),
    ...(known === undefined
      ? []
      : [
          `  ${plural(known.count, "older failure")} in this log ${known.count === 1 ? "is" : "are"} known and not caused by your change`,
        ]),
  ].join("\n");
}

/** Describes a slot. Quotes the reviewer's text, so that it is not mistaken for text of the gauntlet. */
async function describeSlot(files: Files, slot: SlotResult): Promise<string> {
  const { reviewer, outcome, message, jsonPath } = slot;
  const name = `  ${excerpts.shownName(reviewer)}@${slot.slot}`;
  const violations =
    jsonPath === undefined ? [] : await findingTexts.openViolations(files, jsonPath);
  const rest = violations.length - MAX_VIOLATIONS;
  const why =
    message === undefined || violations.length > 0
      ? []
      : [clip(visible(message), MAX_MESSAGE_CHARS)];
  return [
    `${name} ${outcome === "failed" ? "failed" : "returned no answer"}`,
    ...violations.slice(0, MAX_VIOLATIONS).map(excerpts.quoted),
    ...(rest > 0 ? [`    … and ${plural(rest, "more violation")} in the JSON file`] : []),
    ...why.map(excerpts.quoted),
  ].join("\n");
}
