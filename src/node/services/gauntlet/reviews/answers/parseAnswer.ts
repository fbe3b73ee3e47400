/** Finds a reviewer's verdict in what it said (G12, G12a). */
import { err, ok, type Result } from "neverthrow";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import { clip, plural } from "@/common/text";
import { PRIORITIES, type Violation } from "@/node/services/gauntlet/domain/review";
import { scanObjects } from "@/node/services/gauntlet/reviews/answers/findJsonObjects";

export interface ReviewAnswer {
  readonly status: "pass" | "fail";
  readonly violations: readonly AnsweredViolation[];
  /** What was left out of it, for the log. */
  readonly warnings: readonly string[];
}

export interface AnsweredViolation extends Violation {
  /** Of an earlier violation, which it says is still there. */
  readonly id?: string;
}

/**
 * The verdict in a text: of JSON objects anywhere in it, alone, fenced or in prose, those that have a `status` of `pass`
 * or `fail`, or a list of `violations`. Takes time in proportion to the text, whatever that is.
 *
 * Where there are several, a pass that was merely quoted must not hide what another one found: the violations of all of
 * them count. It is a pass only where there is none, and every one of them says pass, and none began and broke off. What
 * is wrong comes back in words.
 */
export function readAnswer(text: string): Result<ReviewAnswer, string> {
  const { answers, hasBroken } = findAnswers(text);
  const violations = new Map<string, AnsweredViolation>();
  let unusable = 0;
  for (const answer of answers) {
    for (const value of listed(answer)) {
      const violation = readViolation(value);
      if (violation === undefined) unusable++;
      else violations.set(JSON.stringify(violation), violation);
    }
  }

  const warnings =
    unusable > 0 ? [`${plural(unusable, "violation")} left out, for want of an issue`] : [];
  if (violations.size > 0) {
    if (hasBroken) warnings.push("a part of its answer is broken JSON and left out");
    return ok({ status: "fail", violations: [...violations.values()], warnings });
  }
  if (hasBroken) return err("its JSON answer is broken or breaks off");
  if (answers.length === 0) return err("there is no JSON answer in what it said");
  if (!answers.every((answer) => statusOf(answer) === "pass")) {
    return err(`it says fail and names no violation that says what the issue is${found(unusable)}`);
  }
  return ok({ status: "pass", violations: [], warnings });
}

function found(unusable: number): string {
  return unusable === 0 ? "" : ` (${plural(unusable, "violation")} without one)`;
}

function findAnswers(text: string): { answers: readonly JsonObject[]; hasBroken: boolean } {
  const answers: JsonObject[] = [];
  let hasBroken = false;
  for (const { kind, start, end } of scanObjects(text)) {
    const piece = text.slice(start, end);
    if (!/"(?:status|violations)"/.test(piece)) continue;
    const value = kind === "whole" ? parseJson(piece).unwrapOr(undefined) : undefined;
    // One that breaks before it says anything but pass is a form that is being talked about: {"status": "pass"|"fail"}.
    if (value === undefined) hasBroken ||= /"violations"|"fail"/i.test(piece);
    else if (isAnswer(value)) answers.push(value);
  }
  return { answers, hasBroken };
}

function isAnswer(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  return statusOf(value) !== undefined || listed(value).length > 0;
}

function statusOf({ status }: JsonObject): "pass" | "fail" | undefined {
  if (typeof status !== "string") return undefined;
  const word = status.trim().toLowerCase();
  return word === "pass" || word === "fail" ? word : undefined;
}

function listed({ violations }: JsonObject): readonly unknown[] {
  if (Array.isArray(violations)) return violations;
  return violations === undefined || violations === null ? [] : [violations];
}

/** Nothing for one that is no object or says nothing. One that lacks all else is kept (G12). */
function readViolation(value: unknown): AnsweredViolation | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, file, line, issue, fix, priority } = value;
  if (typeof issue !== "string" || issue.trim() === "") return undefined;
  return {
    ...(typeof id === "string" ? { id } : {}),
    file: typeof file === "string" ? clip(file, MAX_WORDS_CHARS) : "",
    line:
      typeof line === "string"
        ? clip(line, MAX_WORDS_CHARS)
        : typeof line === "number"
          ? line
          : null,
    issue: clip(issue, MAX_CHARS),
    ...(typeof fix === "string" && fix.trim() !== "" ? { fix: clip(fix, MAX_CHARS) } : {}),
    priority: readPriority(priority),
  };
}

/** More of one violation than anybody reads; file names are at most 4,096 bytes. */
const MAX_CHARS = 16 * KIB;
const MAX_WORDS_CHARS = 4 * KIB;

/** One that is not known is `high` (G12a). */
function readPriority(value: unknown): Violation["priority"] {
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  return PRIORITIES.find((priority) => priority === word) ?? "high";
}
