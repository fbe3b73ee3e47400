/** Finds a reviewer's verdict in its output (G12, G12a). */
import { err, ok, type Result } from "neverthrow";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import { clip } from "@/common/text";
import { PRIORITIES, type Violation } from "@/node/services/gauntlet/domain/review";
import { scanObjects } from "@/common/findJsonObjects";
import {
  failWithoutViolation,
  JSON_BROKEN,
  NO_JSON,
  PART_BROKEN,
  withoutIssue,
} from "@/node/services/gauntlet/messages/reviews";

export interface ReviewAnswer {
  readonly status: "pass" | "fail";
  readonly violations: readonly AnsweredViolation[];
  /** The parts of the answer that were left out, for the log. */
  readonly warnings: readonly string[];
}

export interface AnsweredViolation extends Violation {
  /** The ID of an earlier violation that the reviewer reports as still present. */
  readonly id?: string;
}

/**
 * Returns the verdict in a text. Every JSON object in it (alone, fenced or in prose) counts if it has a `status` of
 * `pass` or `fail`, or `violations`. Takes linear time, whatever the text contains.
 *
 * If there are several objects, a pass that was merely quoted must not hide the violations of another object, so the
 * violations of all objects count. The verdict is a pass only if there are no violations, every object has the status
 * `pass`, and no object is cut off. The error describes the problem.
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

  const warnings = unusable > 0 ? [withoutIssue(unusable)] : [];
  if (violations.size > 0) {
    if (hasBroken) warnings.push(PART_BROKEN);
    return ok({ status: "fail", violations: [...violations.values()], warnings });
  }
  if (hasBroken) return err(JSON_BROKEN);
  if (answers.length === 0) return err(NO_JSON);
  if (!answers.every((answer) => statusOf(answer) === "pass")) {
    return err(failWithoutViolation(unusable));
  }
  return ok({ status: "pass", violations: [], warnings });
}

function findAnswers(text: string): { answers: readonly JsonObject[]; hasBroken: boolean } {
  const answers: JsonObject[] = [];
  let hasBroken = false;
  for (const { kind, start, end } of scanObjects(text)) {
    const piece = text.slice(start, end);
    if (!/"(?:status|violations)"/.test(piece)) continue;
    const value = kind === "whole" ? parseJson(piece).unwrapOr(undefined) : undefined;
    // An object that breaks before `violations` or `fail` is a quoted template, such as {"status": "pass"|"fail"}.
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

/** Returns undefined if the value is not an object or has no issue. All other keys may be missing (G12). */
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

/** Limits for texts and for file names. Longer texts are not readable; file names have at most 4,096 bytes. */
const MAX_CHARS = 16 * KIB;
const MAX_WORDS_CHARS = 4 * KIB;

/** Returns the priority; an unknown one is `high` (G12a). */
function readPriority(value: unknown): Violation["priority"] {
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  return PRIORITIES.find((priority) => priority === word) ?? "high";
}
