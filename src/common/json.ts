import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";

export type JsonObject = Record<string, unknown>;

/** True for what JSON calls an object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `JSON.parse` that answers instead of throwing. */
export function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch (thrown) {
    return err(describeError(thrown));
  }
}
