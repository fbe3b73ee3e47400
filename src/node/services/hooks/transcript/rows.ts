/** Reads Mux's `chat.jsonl`: one JSON object per line, of which only a few fields are used. */
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";

/** Returns the objects of a transcript. Skips incomplete and invalid lines. */
export function parseRows(text: string): JsonObject[] {
  return text.split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    const parsed = parseJson(line);
    return parsed.isOk() && isJsonObject(parsed.value) ? [parsed.value] : [];
  });
}

/** Returns the parts of a message that are objects. */
export function partsOf(row: JsonObject): JsonObject[] {
  const parts = row.parts;
  return Array.isArray(parts) ? parts.filter(isJsonObject) : [];
}
