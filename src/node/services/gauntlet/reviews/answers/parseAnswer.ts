/**
 * Finds a reviewer's verdict and the violations in its output, which may have other text. Ignores quotations of the
 * prompt, and accepts a pass only if nothing in the output contradicts it (G12, G12a).
 */
import { err, ok, type Result } from "neverthrow";
import { isJsonObject, objectOf, parseJson, type JsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import { clip, plural } from "@/common/safeText";
import {
  PRIORITIES,
  type Priority,
  type Violation,
} from "@/node/services/gauntlet/domain/reviewViolations";
import { scanObjects } from "@/common/findJsonObjects";

/** A verdict of a reviewer. */
export interface ReviewAnswer {
  readonly status: "pass" | "fail";
  readonly violations: readonly AnsweredViolation[];
  /** The IDs of the earlier violations that the reviewer confirms as fixed. */
  readonly fixed: readonly string[];
  /** The parts of the answer that were left out, for the log. */
  readonly warnings: readonly string[];
}

export interface AnsweredViolation extends Violation {
  /** The ID of an earlier violation that the reviewer reports as still present. */
  readonly id?: string;
  /** Whether the reviewer describes how the change affects a file that it does not change. */
  readonly isAffected?: boolean;
}

/** The facts that distinguish an answer from a quotation. */
export interface AnswerProof {
  /** The text from the prompt that an answer repeats. */
  readonly nonce: string;
  /** The prompt. An object in it that does not have the nonce is not an answer. */
  readonly prompt: string;
}

/**
 * Returns the verdict in a text. Every JSON object in it (alone, fenced or in prose) counts if it has a `status` of
 * `pass` or `fail`, or a list of violations, unless it is a quotation of the prompt. Takes linear time for
 * any text.
 *
 * If there are several objects, a pass that was merely quoted must not hide the violations of another object, so the
 * violations of all objects count. The verdict is a pass only if there are no violations, every object has the status
 * `pass` and does not contradict itself, no object is cut off, and one has the nonce or is the whole text. The error
 * describes the problem.
 */
export function readAnswer(text: string, proof: AnswerProof): Result<ReviewAnswer, string> {
  const { answers, hasBroken, isAlone, quoted } = findAnswers(text, proof);
  const violations = new Map<string, AnsweredViolation>();
  let unusable = 0;
  for (const answer of answers) {
    for (const value of listed(answer)) {
      const violation = readViolation(value);
      if (violation === undefined) unusable++;
      else violations.set(JSON.stringify(violation), violation);
    }
  }

  const fixed = answers.flatMap((answer) =>
    Array.isArray(answer.fixed) ? answer.fixed.filter((id) => typeof id === "string") : []
  );
  const warnings =
    unusable > 0 ? [`left out ${plural(unusable, "violation")} without an "issue"`] : [];
  if (violations.size > 0) {
    if (hasBroken) warnings.push("left out a part of the answer that is not valid JSON");
    const more = violations.size - MAX_VIOLATIONS;
    if (more > 0) warnings.push(`left out ${plural(more, "further violation")}`);
    const counted = [...violations.values()].slice(0, MAX_VIOLATIONS);
    return ok({ status: "fail", violations: counted, fixed, warnings });
  }
  if (hasBroken) return err("the JSON answer is invalid or incomplete");
  if (answers.length === 0)
    return err(
      quoted > 0
        ? "the JSON in the output is a quotation of the prompt"
        : "the output contains no JSON answer"
    );
  if (!answers.every((answer) => statusOf(answer) === "pass")) {
    const without = unusable === 0 ? "" : ` (${plural(unusable, "violation")} without one)`;
    return err(`the status is fail, but no violation has an "issue"${without}`);
  }
  if (unusable > 0) return err(`${plural(unusable, "violation")} of the answer cannot be read`);
  if (!isAlone && !answers.some(({ nonce }) => nonce === proof.nonce))
    return err("the JSON answer is not alone and does not have the nonce of the prompt");
  return ok({ status: "pass", violations: [], fixed, warnings });
}

/** Each violation is compared with all others. An agent cannot fix as many in a turn. */
const MAX_VIOLATIONS = 500;

function findAnswers(text: string, { nonce, prompt }: AnswerProof) {
  const answers: JsonObject[] = [];
  const spans: { start: number; end: number }[] = [];
  const textEnd = text.trimEnd().length;
  let hasBroken = false;
  // The number of objects that quote the prompt.
  let quoted = 0;
  let material: string | undefined;
  let compared = 0;
  for (const { kind, start, end } of scanObjects(text)) {
    const piece = text.slice(start, end);
    const isCut = kind === "broken" && end >= textEnd;
    if (!isCut && !ANSWER_KEY.test(piece)) continue;
    const value = kind === "whole" ? parseJson(piece).unwrapOr(undefined) : undefined;
    // An object that breaks before its list or `fail` is a quoted template, such as {"status": "pass"|"fail"}.
    if (!isJsonObject(value)) {
      hasBroken ||= isCut || BROKEN_FAIL.test(piece);
      continue;
    }
    if (value.nonce !== nonce && compared++ < MAX_COMPARED) {
      material ??= compact(prompt.replaceAll(GUTTER, ""));
      if (material.includes(compact(piece))) {
        quoted++;
        continue;
      }
    }
    const isFail = listed(value).length > 0;
    if (isFail || statusOf(value) !== undefined) {
      answers.push(value);
      spans.push({ start, end });
    }
    // A pass that hides a fail: the same key twice, or a second verdict inside.
    hasBroken ||= !isFail && statusOf(value) !== "fail" && HIDDEN_FAIL.test(piece);
  }
  const [only, ...more] = spans;
  const around = only && `${text.slice(0, only.start)}${text.slice(only.end)}`;
  // Whether the text is one object and nothing else, except for a fence.
  const isAlone = more.length === 0 && around?.replace(FENCE, "").trim() === "";
  return { answers, hasBroken, isAlone, quoted };
}

/** Further objects are not compared with the prompt, so that many objects take linear time. */
const MAX_COMPARED = 50;

/** The names of the list of violations, and of each part of a violation, the documented one first. */
const LISTS = ["violations", "issues", "findings", "problems"];
const NAMES = {
  issue: ["issue", "description", "message", "title", "problem", "text"],
  file: ["file", "path", "filename", "file_path"],
  line: ["line", "line_number", "lineNumber", "start_line", "startLine"],
  fix: ["fix", "suggestion", "recommendation"],
  priority: ["priority", "severity", "level"],
} as const;

const ANSWER_KEY = new RegExp(`"(?:status|${LISTS.join("|")})"`);
const BROKEN_FAIL = new RegExp(`"(?:fail|${LISTS.join("|")})"`, "i");
const HIDDEN_FAIL = new RegExp(
  String.raw`"status"\s*:\s*"fail"|"(?:${LISTS.join("|")})"\s*:\s*\[\s*[^\s\]]`,
  "i"
);
/** The number and the sign of a line of the diff. */
const GUTTER = /^ {0,5}\d{0,9} [-+ ]/gm;
const FENCE = /^\uFEFF?\s*```(?:json)?\s*```\s*$|^\uFEFF/;

function compact(text: string): string {
  return text.replaceAll(/[\s\\]+/g, "");
}

function statusOf({ status }: JsonObject): "pass" | "fail" | undefined {
  if (typeof status !== "string") return undefined;
  const word = status.trim().toLowerCase();
  return word === "pass" || word === "fail" ? word : undefined;
}

/** Returns the entries of all lists. A value that is neither a list nor empty is one entry. */
function listed(answer: JsonObject): readonly unknown[] {
  return LISTS.flatMap((name) => {
    const list = answer[name];
    if (Array.isArray(list)) return list as readonly unknown[];
    const isEmpty = list === undefined || list === null || list === false || list === 0;
    if (isEmpty || (typeof list === "string" && list.trim() === "")) return [];
    return [isJsonObject(list) ? list : undefined];
  });
}

/** Reads a text, or an object with one. All other keys may be missing (G12). Returns undefined if there is no text. */
function readViolation(value: unknown): AnsweredViolation | undefined {
  const entry: JsonObject = typeof value === "string" ? { issue: value } : objectOf(value);
  const issue = textOf(entry, NAMES.issue);
  if (issue === undefined) return undefined;
  const { id, affected } = entry;
  const fix = textOf(entry, NAMES.fix);
  const line = NAMES.line
    .map((name) => entry[name])
    .find((value) => typeof value === "string" || typeof value === "number");
  return {
    id: typeof id === "string" ? id : undefined,
    isAffected:
      affected === true || (typeof affected === "string" && affected.trim() !== "") || undefined,
    file: clip(textOf(entry, NAMES.file) ?? "", MAX_PLACE_CHARS),
    line: typeof line === "string" ? clip(line, MAX_PLACE_CHARS) : (line ?? null),
    issue: clip(issue, MAX_CHARS),
    fix: fix && clip(fix, MAX_CHARS),
    priority: readPriority(textOf(entry, NAMES.priority)),
  };
}

function textOf(entry: JsonObject, names: readonly string[]): string | undefined {
  return names
    .map((name) => entry[name])
    .find((value): value is string => typeof value === "string" && value.trim() !== "");
}

/** Limits for texts, and for files and lines. Longer texts are not readable; file names have at most 4,096 bytes. */
const MAX_CHARS = 16 * KIB;
const MAX_PLACE_CHARS = 4 * KIB;

/** Returns the priority; an unknown one is `high` (G12a). */
function readPriority(value = ""): Priority {
  const word = value.trim().toLowerCase();
  return PRIORITIES.find((priority) => priority === word) ?? OTHER_PRIORITIES.get(word) ?? "high";
}

const OTHER_PRIORITIES: ReadonlyMap<string, Priority> = new Map([
  ["blocker", "critical"],
  ["warning", "medium"],
  ["moderate", "medium"],
  ["minor", "low"],
  ["info", "low"],
]);
