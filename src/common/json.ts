/** Parses JSON without throwing, and recognizes JSON objects among unknown values. */
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";

export type JsonObject = Record<string, unknown>;

/** Returns whether a value is a JSON object: not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value if it is a JSON object, or else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Parses a JSON object. Returns an empty one for any other text. */
export function parseObject(text: string): JsonObject {
  return objectOf(parseJson(text).unwrapOr(undefined));
}

/** Parses JSON and returns a syntax error instead of throwing it. */
export function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch (thrown) {
    return err(describeError(thrown));
  }
}
