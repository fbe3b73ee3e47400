/** Reads Mux's `chat.jsonl`: one JSON object per line, of which only a few fields are used. */
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";

/** Returns the objects of a transcript. Skips incomplete and invalid lines. */
export function parseRows(text: string): JsonObject[] {
  return text.split("\n").flatMap((line) => {
    const row = parseRow(line);
    return row === undefined ? [] : [row];
  });
}

/** Returns the object of a line, or undefined if the line is incomplete or invalid. */
export function parseRow(line: string): JsonObject | undefined {
  if (line.trim() === "") return undefined;
  const parsed = parseJson(line);
  return parsed.isOk() && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/** Returns the parts of a message that are objects. */
export function partsOf(row: JsonObject): JsonObject[] {
  const parts = row.parts;
  return Array.isArray(parts) ? parts.filter(isJsonObject) : [];
}

/** Joins the text of a message. Mux stores one part per delta. */
export function textOf(parts: readonly JsonObject[]): string {
  return parts
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("");
}
