/**
 * Prepares logs for the reason of a failed stop (G26): reads their ends, selects the lines that help most within a
 * budget of characters that all gates share, and quotes texts that others wrote, so that they cannot pass for the
 * gauntlet's own.
 */
import * as messages from "@/node/services/gauntlet/messages/shared";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import { plainText, visible, clip } from "@/common/safeText";

/** Marks text that is not the gauntlet's own, so that it cannot pass for instructions of the gauntlet. */
const PREFIX = "      | ";
const MAX_NAME_CHARS = 200;

/** Quotes each line. */
export function quoted(text: string): string {
  return text.replaceAll(/^/gm, PREFIX);
}

/** Returns the number of characters of a whole text when it is quoted. */
export function quotedLength(text: string): number {
  return text === "" ? 0 : quoted(text).length + 1;
}

/** Returns a name of a gate, a folder or a file. One with spaces or unusual characters is in quotation marks. */
export function shownName(name: string, max = MAX_NAME_CHARS): string {
  const text = clip(visible(name), max);
  return PLAIN_NAME.test(text) ? text : `"${text.replaceAll('"', "'")}"`;
}

const PLAIN_NAME = /^[\p{L}\p{M}\p{N}_@.,+:=#~*%/()[\]…-]+$/u;

/** Returns whether the message of a gate has no text of a program, a file or a configuration. */
export function isOwnMessage(message: string): boolean {
  return OWN_MESSAGES.has(message.replaceAll(/\bSIG[A-Z\d]+|\d+(?:\.\d+)?/g, "0"));
}

/** The messages without such a text, with 0 for each number and signal. */
const OWN_MESSAGES: ReadonlySet<string> = new Set([
  messages.exitedWith(0),
  messages.killedBy("0"),
  messages.timedOut(0),
  messages.gateHangs(0, 0),
  messages.NO_LONGER_APPLIES,
  messages.CONFIG_BROKEN,
]);

/** Matches lines that the gauntlet writes to a log. A description of the gate already has their content. */
const OWN_LINE = /^\[\d{4}-[\dT:.-]+Z\] (?:Result: |Command: |Folder: |check:)/;

/**
 * Returns the end of a check's log, or an empty text if there is no log, it cannot be read, or the gate is a review.
 */
export async function endOfLog(
  files: Files,
  { logPath, slots }: Pick<GateResult, "logPath" | "slots">,
  maxBytes: number
): Promise<string> {
  if (logPath === undefined || slots !== undefined) return "";
  const text = (await readText(files, logPath, { maxBytes, tail: true })) ?? "";
  const lines = plainText(text).trim().split("\n");
  return lines.filter((line) => !OWN_LINE.test(line)).join("\n");
}

const GAP = "      | …";
/** A longer line would take the space of others. */
const MAX_LINE_CHARS = 400;
const MIN_LINE = 40;

/** Divides a budget so that the part that a short text does not need goes to the longer ones. */
export function shareOut(budget: number, needs: readonly number[]): number[] {
  const order = needs.map((need, i) => ({ need, i })).sort((a, b) => a.need - b.need);
  const shares = needs.map(() => 0);
  let left = Math.max(0, budget);
  for (const [done, { need, i }] of order.entries()) {
    const share = Math.min(need, Math.floor(left / (order.length - done)));
    shares[i] = share;
    left -= share;
  }
  return shares;
}

/** Combines equal lines: consecutive ones, and all of them if the texts do not fit into `max` characters together. */
export function compacted(texts: readonly string[], max: number): string[] {
  const shorter = texts.map((text) => withoutRepetitions(text, false));
  const length = shorter.reduce((sum, text) => sum + quotedLength(text), 0);
  return length <= max ? shorter : texts.map((text) => withoutRepetitions(text, true));
}

/**
 * Quotes as many whole lines as fit into `max` characters, in the order of the text. Lines that help most come first,
 * and among equally helpful ones the last ones.
 */
export function excerpt(text: string, max: number): string {
  if (text === "") return "";
  if (quotedLength(text) <= max) return quoted(text);
  const lines = text.split("\n").map((line) => clip(line, MAX_LINE_CHARS));
  const priorities = prioritiesOf(lines);
  const rank = (i: number): number => priorities[i] ?? 0;
  const order = lines.map((_, i) => i).sort((a, b) => rank(a) - rank(b) || b - a);
  const kept = new Set<number>();
  let left = max;
  for (const i of order) {
    // A line beside a kept one needs no gap mark, and one between two kept lines makes a mark unnecessary.
    const gaps = 1 - Number(kept.has(i - 1)) - Number(kept.has(i + 1));
    const marks = gaps * (GAP.length + 1);
    const room = left - marks - PREFIX.length - 1;
    const length = lines[i]?.length ?? 0;
    if (length > room && !(kept.size === 0 && room > MIN_LINE)) continue;
    if (length > room) lines[i] = clip(lines[i] ?? "", room - 1);
    kept.add(i);
    left -= marks + PREFIX.length + 1 + (lines[i]?.length ?? 0);
  }
  const out: string[] = [];
  let before = -1;
  for (const i of [...kept].sort((a, b) => a - b)) {
    if (i > before + 1) out.push(GAP);
    out.push(`${PREFIX}${lines[i] ?? ""}`);
    before = i;
  }
  return out.join("\n");
}

/** The priority of a line in an excerpt. The lowest is kept first. */
const PRIORITIES = {
  ...{ advice: 0, failure: 1, error: 2, other: 3 },
  ...{ frame: 4, passed: 5, foreignFrame: 6, blank: 7 },
};

/** The number of lines of advice that keep their priority: the last ones. The others count as failures. */
const MAX_ADVICE = 8;

const HELP = /\b(?:help|hint): /i;
/** Matches the summaries of test runners and linters: `Tests: 2 failed, 10 passed`, `✖ 5 problems`. */
const SUMMARY =
  /\b\d+ (?:tests? )?(?:failed|failing|passed|passing|problems?|errors?|failures?|warnings?)\b|\bFAILED \(|^test result: /i;
const FAILURE =
  /[✘✖✗✕●]|^\s*×|\bFAIL(?:ED|URE)?\b|error(?:\[\w+\])?:|^\s*\d+\) |^\s*not ok\b|\bpanicked\b/i;
const ERROR =
  /error|fail|fatal|exception|assert|panic|expected|cannot|not found|n't\b|no such|missing|invalid|denied|refused|unable/i;
/** Matches a line that was combined with equal ones. Many failures with one cause repeat its line. */
const REPEATED = / \(× \d+\)$/;
/** Matches the line of a test that passed. */
const PASSED = /^\s*(?:(?:--- )?PASS(?:ED)?\b|=== (?:RUN|PAUSE|CONT|NAME)\b|--- SKIP\b|[✓✔√]|ok\s)/;

/** Matches stack frames of JavaScript, Java, C#, Python, Ruby, Rust, Go and PHP. */
const FRAME =
  /^\s*(?:at\s|File "[^"]*", line \d|(?:from )?[^\s:]+:\d+:in\b|\d+:\s+(?:0x[\da-f]+ - )?[^\s:]*::|goroutine \d+ \[|created by \S|\S+\.go:\d+ \+0x|[\w./*()-]+\((?:0x|\{0x|\.\.\.\))|#\d+\s)/;
const PYTHON_FRAME = /^\s*File "/;
const FOREIGN =
  /node_modules|node:|\(<anonymous>\)|site-packages|dist-packages|lib\/python\d|<frozen |\/gems\/|\bvendor\/|\/rustc\/|\b(?:std|core|alloc|tokio)::|\/go\/pkg\/mod\/|\/usr\/(?:local\/)?(?:lib|go|share)\/|\b(?:runtime|testing)[./]|\bjava\.|\bSystem\./;

/** Returns the priority of each line. */
function prioritiesOf(lines: readonly string[]): number[] {
  const priorities: number[] = [];
  for (const [i, line] of lines.entries()) {
    const before = lines[i - 1];
    const isSource =
      before !== undefined && PYTHON_FRAME.test(before) && indentOf(line) > indentOf(before);
    priorities.push(isSource ? (priorities[i - 1] ?? 0) : priorityOf(line));
  }
  let advice = 0;
  for (let i = priorities.length - 1; i >= 0; i--) {
    if (priorities[i] === PRIORITIES.advice && ++advice > MAX_ADVICE) {
      priorities[i] = PRIORITIES.failure;
    }
  }
  return priorities;
}

function priorityOf(line: string): number {
  if (line.trim() === "") return PRIORITIES.blank;
  if (FRAME.test(line)) return FOREIGN.test(line) ? PRIORITIES.foreignFrame : PRIORITIES.frame;
  if (PASSED.test(line)) return PRIORITIES.passed;
  if (REPEATED.test(line) && ERROR.test(line)) return PRIORITIES.advice;
  if (HELP.test(line) || SUMMARY.test(line)) return PRIORITIES.advice;
  if (FAILURE.test(line)) return PRIORITIES.failure;
  return ERROR.test(line) ? PRIORITIES.error : PRIORITIES.other;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * Combines equal lines into the first of them, with their number. Ignores spaces at their ends.
 *
 * @param isSpread whether lines between them make no difference
 */
function withoutRepetitions(text: string, isSpread: boolean): string {
  const counts: { readonly line: string; count: number }[] = [];
  const known = new Map<string, (typeof counts)[number]>();
  for (const full of text.split("\n")) {
    const line = full.trimEnd();
    const same = known.get(line) ?? counts.at(-1);
    if (same?.line === line) {
      same.count++;
      continue;
    }
    const counted = { line, count: 1 };
    counts.push(counted);
    // A short line, such as a bracket, is no problem of its own.
    if (isSpread && line.trim().length >= 3) known.set(line, counted);
  }
  return counts
    .map(({ line, count }) => (count === 1 || line === "" ? line : `${line} (× ${count})`))
    .join("\n");
}
