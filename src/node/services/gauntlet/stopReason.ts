/** What an agent is told when its gates did not pass (G26). */
import { KIB } from "@/common/limits";
import { clip, plainText, plural, sliceWhole, visible } from "@/common/text";
import { isFailure, type GateResult, type SlotResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { Files } from "@/node/runtime/Runtime";

/** However much failed. */
const MAX_CHARS = 8_000;
const MAX_END_CHARS = 1_500;
/** Of more failed gates than this there is no room for a word. */
const MOST_LOGS = 200;
const MAX_SLOT_CHARS = 300;
const MAX_SLOTS = 5;

const HEAD = `Gauntlet gates did not pass.

**Fix these issues now.** You cannot stop until the gates pass or one of the lines under "When you may stop" is reached. They are checked again when you next stop; there is nothing for you to run.`;

const GUIDANCE = `**Trust level: medium.** Fix what you reasonably agree with or believe the person wants fixed. Skip what is purely a matter of style or taste, or what you believe the person would not want changed. A failed check cannot be skipped.

**Violations of a review** stand in its JSON file. Set "status" to "fixed" with a short "result" for each that you fix, and to "skipped" with your reason as "result" for each that you skip.

**When you may stop:**
- "Status: Passed": all gates passed
- "Status: Passed with warnings": what is left was skipped
- "Status: Retry limit exceeded": a person has to look at it`;

/** Under 8,000 characters: of the failed gates as many as fit, and then how many more. */
export async function stopReason(files: Files, result: RunResult): Promise<string> {
  const failed = result.gates.filter(isFailure);
  const console = result.consoleLogPath;
  const log = console === undefined ? "" : `Read ${console} for all that the run said.`;
  const frame = [HEAD, log, GUIDANCE].filter((part) => part !== "");
  const rest = (count: number): string =>
    count === 0 ? "" : `\n… and ${plural(count, "more failed gate")}; see the console log.`;
  // At once: on another machine that is one round trip.
  const logs = failed.slice(0, MOST_LOGS).map(({ logPath }) => endOfLog(files, logPath));
  const ends = await Promise.all(logs);
  let left = MAX_CHARS - frame.join("\n\n").length - rest(failed.length).length - 100;
  const told: string[] = [];
  for (const [i, gate] of failed.entries()) {
    const text = describeGate(gate, ends[i] ?? "", Math.min(left, MAX_END_CHARS));
    if (text.length > left) break;
    told.push(text);
    left -= text.length + 2;
  }
  const gates = `**Failed:**\n${told.join("\n")}${rest(failed.length - told.length)}`;
  const earlier = "What failed in an earlier run is still open.";
  const [head = "", ...tail] = frame;
  return [head, failed.length === 0 ? earlier : gates, ...tail].join("\n\n");
}

function describeGate(gate: GateResult, text: string, endChars: number): string {
  const { message, logPath, slots } = gate;
  const jobId = visible(gate.jobId);
  if (slots !== undefined) return [`- ${jobId}`, ...describeSlots(slots)].join("\n");
  const name = `- ${jobId}${message === undefined ? "" : `: ${message}`}`;
  if (logPath === undefined) return name;
  // Quoting takes some room of its own.
  const most = Math.max(0, Math.floor(endChars / 2));
  const end = text.length <= most ? text : sliceWhole(text, text.length - most, text.length);
  return `${name}\n  Log: ${logPath}${end === "" ? "" : `\n${quoted(end)}`}`;
}

function describeSlots(slots: readonly SlotResult[]): string[] {
  const failed = slots.filter(({ outcome }) => outcome === "failed" || outcome === "error");
  const rest = failed.length - MAX_SLOTS;
  const more = rest > 0 ? [`  … and ${plural(rest, "more reviewer")}; see the console log.`] : [];
  return [...failed.slice(0, MAX_SLOTS).flatMap(describeSlot), ...more];
}

/**
 * What its reviewer found is for the agent to read in the file, not here. What a message says of it is quoted: a
 * reviewer's words, or the name of a file, would else pass for our own.
 */
function describeSlot({ slot, reviewer, outcome, message, jsonPath }: SlotResult): string[] {
  const json = jsonPath === undefined ? [] : [`    Review: ${jsonPath}`];
  const why = message === undefined ? [] : [quoted(clip(visible(message), MAX_SLOT_CHARS))];
  return [
    `  ${visible(reviewer)}@${slot} ${outcome === "failed" ? "failed" : "gave no answer"}`,
    ...json,
    ...why,
  ];
}

function quoted(text: string): string {
  return text.replaceAll(/^/gm, "      | ");
}

async function endOfLog(files: Files, path: string | undefined): Promise<string> {
  if (path === undefined) return "";
  const read = await files.readFile(path, { maxBytes: 4 * KIB, tail: true });
  return read.isErr() ? "" : plainText(new TextDecoder().decode(read.value)).trim();
}
