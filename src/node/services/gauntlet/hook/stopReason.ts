/** Builds the reason that sends an agent back to work if its gates did not pass (G26). */
import { KIB } from "@/common/limits";
import { clip, visible, plural } from "@/common/text";
import { MAX_UNCHANGED_STOPS } from "@/node/services/gauntlet/domain/episode";
import { isFailure, type GateResult, type SlotResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { fixedForAgent } from "@/node/services/gauntlet/messages/fixes";
import * as messages from "@/node/services/gauntlet/messages/reason";
import { compacted, excerpt, shareOut } from "@/node/services/gauntlet/reason/excerpt";
import {
  isOwnMessage,
  quoted,
  quotedLength,
  shownName,
} from "@/node/services/gauntlet/reason/quotes";
import { endOfLog, openViolations } from "@/node/services/gauntlet/reason/leftByGate";
import {
  findingsLength,
  shownFindings,
  withoutFindings,
} from "@/node/services/gauntlet/reason/findings";
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
const CHARS_PER_TOKEN = 4;
const MAX_COMMAND_CHARS = 300;
const MAX_FOLDER_CHARS = 1_000;
const MAX_MESSAGE_CHARS = 600;
const MAX_ABOUT_CHARS = 200;
const MAX_FIXED_CHARS = 800;
const MAX_SLOTS = 5;
const MAX_VIOLATIONS = 20;
const MAX_REPEATED = 5;
const MAX_LISTS = 3;
const MAX_ID_CHARS = 80;
const MAX_LOG_BYTES = 32 * KIB;
/** Maximum share of the space that the fixed texts leave, for the names of the failed gates. */
const MAX_NAMES_SHARE = 0.5;
/** Maximum share of the space that the names leave, for the details of gates. The rest is for excerpts of logs. */
const MAX_DETAILS_SHARE = 0.7;

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
  const failed = result.gates.filter((gate) => isFailure(gate) && gate.unreachable !== true);
  const { attempt, maxAttempts = 0 } = result;
  const isLastTry = isOnlyTry || attempt === maxAttempts - 1;
  if (result.isRepeated === true) return unchanged(failed, result, isLastTry);
  const budget = (result.reasonBudget ?? DEFAULT_BUDGET) * CHARS_PER_TOKEN;
  const limit = Math.min(maxChars, MAX_CHARS, budget);
  const head = [
    messages.FIX_NOW,
    ...(canStopOnlyWhenDone ? [messages.ONLY_WHEN_DONE] : []),
    ...(isOnlyTry ? [] : [messages.CHECKED_AGAIN]),
    ...(isLastTry ? [messages.LAST_TRY] : []),
  ];
  const console = result.consoleLogPath;
  const tail = [
    ...(console === undefined ? [] : [messages.readLog(console)]),
    ...(failed.some(({ kind }) => kind === "review") ? [messages.TRUST] : []),
    messages.ENDS,
  ];
  const fixedFiles = [...new Set(result.gates.flatMap((gate) => gate.fixedFiles ?? []))];
  if (fixedFiles.length > 0) {
    head.push(clip(fixedForAgent(fixedFiles.map((file) => shownName(file))), MAX_FIXED_CHARS));
  }
  const frame = [messages.FIRST_LINE, head.join(" "), ...tail];
  // Leave room for blank lines between the parts, and for the marks of omitted text.
  let left = limit - frame.join("\n\n").length - 200;
  const names = namesOf(failed, result, left * MAX_NAMES_SHARE);
  left -= names.length;
  const gates = await describeGates(files, failed, left);
  const first = `${messages.FIRST_LINE} ${names}`;
  return [first, head.join(" "), ...gates, ...tail].filter((part) => part !== "").join("\n\n");
}

/** Returns one short line (G38). The agent got the details at its last stop. */
function unchanged(
  failed: readonly GateResult[],
  { consoleLogPath, unchangedStops = 0 }: RunResult,
  isLastTry: boolean
): string {
  const names = failed.slice(0, MAX_REPEATED).map(({ jobId }) => shownName(jobId, MAX_ID_CHARS));
  const more = failed.length - names.length;
  const count = failed.reduce((sum, { findings = [] }) => sum + findings.length, 0);
  const paths = failed.flatMap(({ findingsPath }) => findingsPath ?? []).slice(0, MAX_LISTS);
  const isLast = unchangedStops === MAX_UNCHANGED_STOPS - 1;
  const lists = { count, paths };
  return messages.unchangedFailures({ names, more }, lists, consoleLogPath, isLast, isLastTry);
}

function namesOf(failed: readonly GateResult[], result: RunResult, max: number): string {
  const names = failed.map(({ jobId }) => shownName(jobId));
  let shown = names.length;
  const text = (): string =>
    messages.failedGates({ names: names.slice(0, shown), more: names.length - shown }, result);
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
      gate.known === undefined ? endOfLog(files, gate, MAX_LOG_BYTES) : Promise.resolve("")
    )
  );
  // Findings come first. Logs of gates without findings share the space with them, and the other logs get the rest.
  const lists = shareOut(
    left,
    shown.map((gate, i) => findingsLength(gate) ?? quotedLength(logs[i] ?? ""))
  ).map((share, i) => shownFindings(shown[i], share));
  left -= lists.reduce((sum, text) => sum + (text === undefined ? 0 : text.length + 1), 0);
  const ends = compacted(
    logs.map((log, i) => withoutFindings(log, shown[i])),
    left
  );
  const shares = shareOut(left, ends.map(quotedLength));
  const described = places.map((place, i) =>
    [place, lists[i] ?? "", excerpt(ends[i] ?? "", shares[i] ?? 0)]
      .filter((part) => part !== "")
      .join("\n")
  );
  return [...described, ...(rest === 0 ? [] : [messages.moreGates(rest)])];
}

async function describePlace(files: Files, gate: GateResult): Promise<string> {
  const { message, logPath, slots, command, folder, known, explanation } = gate;
  const jobId = shownName(gate.jobId);
  if (slots !== undefined) {
    const sections = await Promise.all(
      slots
        .filter(isFailedSlot)
        .slice(0, MAX_SLOTS)
        .map((slot) => describeSlot(files, slot))
    );
    const rest = slots.filter(isFailedSlot).length - MAX_SLOTS;
    const more = rest > 0 ? [`  ${messages.moreReviewers(rest)}`] : [];
    return [`- ${jobId}`, ...sections, ...more].join("\n");
  }
  const isOwn = message !== undefined && isOwnMessage(message);
  return [
    `- ${jobId}${isOwn ? `: ${message}` : ""}`,
    ...(message === undefined || isOwn ? [] : [quoted(clip(visible(message), MAX_MESSAGE_CHARS))]),
    ...(explanation === undefined ? [] : [`  ${explanation.text}`]),
    ...(explanation?.about ?? []).map((text) => quoted(clip(visible(text), MAX_ABOUT_CHARS))),
    ...(command === undefined ? [] : [`  Command: ${clip(visible(command), MAX_COMMAND_CHARS)}`]),
    ...(folder === undefined ? [] : [`  Folder: ${shownName(folder, MAX_FOLDER_CHARS)}`]),
    ...(logPath === undefined ? [] : [`  Log: ${logPath}`]),
    ...(known === undefined
      ? []
      : [
          `  ${plural(known.count, "older failure")} in this log ${known.count === 1 ? "is" : "are"} known and not caused by your change`,
        ]),
  ].join("\n");
}

function isFailedSlot({ outcome }: SlotResult): boolean {
  return outcome === "failed" || outcome === "error";
}

/** Describes a slot. Quotes the reviewer's text, so that it is not mistaken for text of the gauntlet. */
async function describeSlot(files: Files, slot: SlotResult): Promise<string> {
  const { reviewer, outcome, message, jsonPath } = slot;
  const name = `  ${shownName(reviewer)}@${slot.slot}`;
  const review = jsonPath === undefined ? [] : [`    Review: ${jsonPath}`];
  const violations = jsonPath === undefined ? [] : await openViolations(files, jsonPath);
  const rest = violations.length - MAX_VIOLATIONS;
  const why =
    message === undefined || violations.length > 0
      ? []
      : [clip(visible(message), MAX_MESSAGE_CHARS)];
  return [
    outcome === "failed" ? messages.slotFailed(name) : messages.slotWithoutAnswer(name),
    ...review,
    ...violations.slice(0, MAX_VIOLATIONS).map(quoted),
    ...(rest > 0 ? [`    ${messages.moreViolations(rest)}`] : []),
    ...why.map(quoted),
  ].join("\n");
}
