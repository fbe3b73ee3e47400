/** Converts one tool call of an answer to the blocks in which Claude Code records it (H37). */
import { isJsonObject, type JsonObject } from "@/common/json";
import { CLAUDE_TOOLS } from "@/node/services/hooks/transcript/claude/claudeTools";
import {
  type ClaudeCall,
  textIn,
  type ToolScope,
} from "@/node/services/hooks/transcript/claude/toolTypes";

interface ConvertedCall {
  readonly use: JsonObject;
  /** Absent if the tool has no result yet. */
  readonly result?: { readonly block: JsonObject; readonly structured: unknown };
  /** The to-do list after the call. */
  readonly todos?: readonly JsonObject[];
}

/** @param part a part of type `dynamic-tool` */
export function convertCall(
  part: JsonObject,
  { cwd, todos }: Pick<ToolScope, "cwd" | "todos">
): ConvertedCall {
  const id = textIn(part, "toolCallId");
  const { output } = part;
  const muxName = textIn(part, "toolName");
  const input = isJsonObject(part.input) ? part.input : {};
  const call =
    CLAUDE_TOOLS.get(muxName)?.(input, { id, output, cwd, todos }) ?? ownCall(muxName, input);
  const use = { type: "tool_use", id, name: call.name, input: call.input };
  if (!("output" in part) && part.state !== "output-redacted") return { use };
  const isError = part.failed === true || hasFailed(output);
  const { content, structured } = isError
    ? failureOf(call, output)
    : call.result(isJsonObject(output) ? output : { output }, output);
  return {
    use,
    result: {
      block: { tool_use_id: id, type: "tool_result", content, is_error: isError },
      structured,
    },
    todos: isError ? undefined : call.todos,
  };
}

/** A tool of Mux or of an MCP server that does not correspond to one of Claude Code. */
function ownCall(name: string, input: JsonObject): ClaudeCall {
  return {
    name,
    input,
    result: (_, output) => ({ content: ownContent(output), structured: output }),
  };
}

/** Mux's tools return `success`, and MCP servers return `isError`. */
function hasFailed(output: unknown): boolean {
  return isJsonObject(output) && (output.success === false || output.isError === true);
}

/** In Claude Code's format `toolUseResult` of a failed call is a text. */
function failureOf(call: ClaudeCall, output: unknown) {
  const object = isJsonObject(output) ? output : {};
  const error = textIn(object, "error");
  const content = call.failure?.(object) ?? (error === "" ? ownContent(output) : error);
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { content, structured: `Error: ${text}` };
}

/** Returns a text, or blocks if the result is a list of texts and images as MCP servers return them. */
function ownContent(output: unknown): unknown {
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
