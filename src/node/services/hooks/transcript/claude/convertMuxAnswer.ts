/**
 * Converts an answer of the agent in `chat.jsonl` to Claude Code's rows: one for each block, and one for each result of
 * a tool (H37). Divides the recorded use of tokens among the requests to the model.
 */
import { isJsonObject, objectOf, type JsonObject } from "@/common/json";
import { partsOf } from "@/node/services/hooks/transcript/chatRows";
import { CLAUDE_TOOLS } from "@/node/services/hooks/transcript/claude/convertMuxTools";
import * as tools from "@/node/services/hooks/transcript/claude/toolCallParts";

/** A row of Claude Code without its IDs, with its time. */
export interface DatedBody {
  /** The part of a row that its kind determines. */
  readonly body: JsonObject & { readonly type: string };
  /** Milliseconds since 1970, if the part has a time of its own. */
  readonly time?: unknown;
  /** Whether the row begins a new chain of rows. */
  readonly isRoot?: boolean;
}

interface AnswerScope {
  readonly cwd: string;
  /** The to-do list before the answer. */
  readonly todos: readonly JsonObject[];
  /** Returns what the IDs of a request end with, by its position in the answer. */
  readonly requestKey: (request: number) => string;
  /** Returns the ID of a row, by its position in the answer. */
  readonly rowUuid: (position: number) => string;
}

/** A block with the request that it belongs to, or the result of a tool. */
type Piece =
  | { readonly kind: "block"; readonly block: JsonObject; request: number; time: unknown }
  | ResultPiece;

interface ResultPiece {
  readonly kind: "result";
  readonly block: JsonObject;
  readonly structured: unknown;
  readonly time: unknown;
}

/** Returns the rows, and the to-do list after the answer. */
export function convertAnswer(
  row: JsonObject,
  metadata: JsonObject,
  scope: AnswerScope
): { readonly bodies: DatedBody[]; readonly todos: readonly JsonObject[] } {
  const { pieces, requests, todos } = piecesOf(row, scope);
  const usages = usageByRequest(metadata, requests);
  const { model: named, finishReason, partial } = metadata;
  // Without its provider and gateway: `anthropic:claude-opus-4-5`, `openrouter:openai/gpt-5`.
  const model =
    typeof named === "string" && named !== ""
      ? named.slice(named.indexOf(":") + 1).replace(/^.*\//, "")
      : "unknown";
  // Null if it is unknown why the answer ended, as Claude Code writes it.
  const ended = partial === true ? null : "end_turn";
  const stopReason =
    typeof finishReason === "string" ? (STOP_REASONS[finishReason] ?? null) : ended;
  const bodies = pieces.map((piece, position): DatedBody => {
    const { block, time } = piece;
    if (piece.kind === "result") {
      const body = {
        type: "user",
        message: { role: "user", content: [block] },
        toolUseResult: piece.structured,
        sourceToolAssistantUUID: scope.rowUuid(position - 1),
      };
      return { body, time };
    }
    const { request } = piece;
    const isLast = request === requests - 1;
    const message = {
      model,
      id: `msg_${scope.requestKey(request)}`,
      type: "message",
      role: "assistant",
      content: [block],
      stop_reason: isLast ? stopReason : "tool_use",
      stop_sequence: null,
      usage: usages[request],
    };
    // Hooks that add up the usage recognize the rows of one request by both IDs.
    const requestId = `req_${scope.requestKey(request)}`;
    return { body: { type: "assistant", message, requestId }, time };
  });
  return { bodies, todos };
}

/** Splits an answer into its blocks. The result of a tool ends a request. */
function piecesOf(row: JsonObject, scope: AnswerScope) {
  const pieces: Piece[] = [];
  let { todos } = scope;
  let request = 0;
  let requests = 0;
  for (const part of joinText(partsOf(row))) {
    const time = part.timestamp;
    if (part.type === "dynamic-tool") {
      const call = convertCall(part, { cwd: scope.cwd, todos });
      pieces.push({ kind: "block", block: call.use, request, time });
      requests = request + 1;
      if (call.result === undefined) continue;
      todos = call.todos ?? todos;
      pieces.push({ kind: "result", ...call.result, time });
      request++;
    } else {
      const block = textBlock(part);
      if (block === undefined) continue;
      pieces.push({ kind: "block", block, request, time });
      requests = request + 1;
    }
  }
  return { pieces, requests, todos };
}

function textBlock({ type, text, signature = "" }: JsonObject): JsonObject | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  if (type === "text") return { type, text };
  return type === "reasoning" ? { type: "thinking", thinking: text, signature } : undefined;
}

/** Joins adjacent text and reasoning. Mux stores one part per delta, whereas Claude's blocks are whole. */
function joinText(parts: readonly JsonObject[]): JsonObject[] {
  const groups: JsonObject[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    const first = last?.[0];
    if (first !== undefined && isText(first) && isText(part) && first.type === part.type) {
      last?.push(part);
    } else groups.push([part]);
  }
  return groups.map((group) => {
    if (group.length === 1) return group[0] ?? {};
    const signature = group.findLast((part) => part.signature !== undefined)?.signature;
    return { ...group[0], signature, text: group.map(({ text }) => text).join("") };
  });
}

function isText({ type, text }: JsonObject): boolean {
  return (type === "text" || type === "reasoning") && typeof text === "string";
}

/** The tokens that a request used, in Claude Code's format. */
interface Usage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

const NONE: Usage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

/**
 * Divides the usage of an answer among its requests. Mux records the sum, and the usage of the last request, from which
 * hooks read the size of the context. The first request has the rest, so that the sum stays correct.
 */
function usageByRequest(metadata: JsonObject, requests: number): Usage[] {
  const total = usageOf(metadata.usage, metadata.providerMetadata);
  const last = usageOf(metadata.contextUsage, metadata.contextProviderMetadata);
  const isDivided = requests > 1 && total !== undefined && last !== undefined;
  return Array.from({ length: requests }, (_, i) => {
    if (i === requests - 1) return (isDivided ? last : (total ?? last)) ?? NONE;
    return i === 0 && isDivided ? minus(total, last) : NONE;
  });
}

function minus(total: Usage, part: Usage): Usage {
  const left = (key: keyof Usage): number => Math.max(0, total[key] - part[key]);
  return {
    input_tokens: left("input_tokens"),
    cache_creation_input_tokens: left("cache_creation_input_tokens"),
    cache_read_input_tokens: left("cache_read_input_tokens"),
    output_tokens: left("output_tokens"),
  };
}

/** In Mux's format the input includes what was read from a cache or written to it. In Claude Code's it does not. */
function usageOf(usage: unknown, provider: unknown): Usage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const details = objectOf(usage.inputTokenDetails);
  const read = countOf(usage.cachedInputTokens ?? details.cacheReadTokens);
  const anthropic = objectOf(objectOf(provider).anthropic);
  const created = countOf(anthropic.cacheCreationInputTokens ?? details.cacheWriteTokens);
  return {
    input_tokens: Math.max(0, countOf(usage.inputTokens) - read - created),
    cache_creation_input_tokens: created,
    cache_read_input_tokens: read,
    output_tokens: countOf(usage.outputTokens),
  };
}

/** Returns the number of tokens before a compaction, if Mux recorded it. */
export function tokensOf(usage: unknown): number | undefined {
  return isJsonObject(usage) ? countOf(usage.inputTokens) : undefined;
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
};

/** Converts a call of a tool and its result to blocks. @param part a part of type `dynamic-tool` */
export function convertCall(
  part: JsonObject,
  { cwd, todos }: Pick<tools.ToolScope, "cwd" | "todos">
): { use: JsonObject; result?: Omit<ResultPiece, "kind" | "time">; todos?: readonly JsonObject[] } {
  const id = tools.textIn(part, "toolCallId");
  const { output } = part;
  const muxName = tools.textIn(part, "toolName");
  const input = objectOf(part.input);
  const call: tools.ClaudeCall = CLAUDE_TOOLS.get(muxName)?.(input, { id, output, cwd, todos }) ?? {
    // A tool of Mux or of an MCP server that does not correspond to one of Claude Code.
    name: muxName,
    input,
    result: (_, output) => ({ content: ownContent(output), structured: output }),
  };
  const use = { type: "tool_use", id, name: call.name, input: call.input };
  if (!("output" in part) && part.state !== "output-redacted") return { use };
  // Mux's tools return `success`, and MCP servers return `isError`.
  const { success, isError: hasFailed } = objectOf(output);
  const isError = part.failed === true || success === false || hasFailed === true;
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

/** In Claude Code's format `toolUseResult` of a failed call is a text. */
function failureOf(call: tools.ClaudeCall, output: unknown) {
  const object = objectOf(output);
  const error = tools.textIn(object, "error");
  const content = call.failure?.(object) ?? (error === "" ? ownContent(output) : error);
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { content, structured: `Error: ${text}` };
}

/** Returns a text, or blocks if the result is a list of texts and images as MCP servers return them. */
function ownContent(output: unknown): unknown {
  if (output === undefined || output === null) return "";
  if (typeof output === "string") return output;
  const { content, type, value } = objectOf(output);
  const list: unknown = type === "content" ? value : content;
  if (!Array.isArray(list)) return JSON.stringify(output);
  const blocks = list.flatMap((part) => (isJsonObject(part) ? toBlock(part) : []));
  return blocks.length === list.length ? blocks : JSON.stringify(output);
}

function toBlock({ type, text, data, mediaType, mimeType }: JsonObject): JsonObject[] {
  if (type === "text" && typeof text === "string") return [{ type, text }];
  const media = mediaType ?? mimeType;
  if (typeof data !== "string" || typeof media !== "string") return [];
  return [mediaBlock(media, data)];
}

/** Returns the block for an image or a document. @param data in base64 */
export function mediaBlock(mediaType: string, data: string): JsonObject {
  const type = mediaType.startsWith("image/") ? "image" : "document";
  return { type, source: { type: "base64", media_type: mediaType, data } };
}
