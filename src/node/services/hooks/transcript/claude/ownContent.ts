/** Converts the result of a tool that Claude Code does not have to what its agent would have got (H37). */
import { isJsonObject, type JsonObject } from "@/common/json";

/** Returns a text, or blocks if the result is a list of texts and images as MCP servers return them. */
export function ownContent(output: unknown): unknown {
  if (output === undefined || output === null) return "";
  if (typeof output === "string") return output;
  const blocks = isJsonObject(output) ? blocksOf(output) : undefined;
  return blocks ?? JSON.stringify(output);
}

function blocksOf({ content, type, value }: JsonObject): JsonObject[] | undefined {
  const list: unknown = type === "content" ? value : content;
  if (!Array.isArray(list)) return undefined;
  const blocks = list.flatMap((part) => (isJsonObject(part) ? toBlock(part) : []));
  return blocks.length === list.length ? blocks : undefined;
}

function toBlock({ type, text, data, mediaType, mimeType }: JsonObject): JsonObject[] {
  if (type === "text" && typeof text === "string") return [{ type, text }];
  const media = mediaType ?? mimeType;
  if (typeof data !== "string" || typeof media !== "string") return [];
  return [mediaBlock(media, data)];
}

/** @param data in base64 */
export function mediaBlock(mediaType: string, data: string): JsonObject {
  const type = mediaType.startsWith("image/") ? "image" : "document";
  return { type, source: { type: "base64", media_type: mediaType, data } };
}
