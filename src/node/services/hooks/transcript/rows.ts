/** Reading Mux's `chat.jsonl`: one JSON object a line, of which only a few fields matter here. */
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";

/** The objects of a transcript; a cut or broken line is passed over. */
export function parseRows(text: string): JsonObject[] {
  return text.split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    const parsed = parseJson(line);
    return parsed.isOk() && isJsonObject(parsed.value) ? [parsed.value] : [];
  });
}

/** Parts of a message that are objects. */
export function partsOf(row: JsonObject): JsonObject[] {
  const parts = row.parts;
  return Array.isArray(parts) ? parts.filter(isJsonObject) : [];
}
