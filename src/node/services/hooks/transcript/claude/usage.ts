/** The model and the usage of an answer in Claude Code's format (H37). */
import { isJsonObject, type JsonObject } from "@/common/json";

export interface Usage {
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
export function usageByRequest(metadata: JsonObject, requests: number): Usage[] {
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

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Returns a model without its provider and gateway: `anthropic:claude-opus-4-5`, `openrouter:openai/gpt-5`. */
export function modelName(model: unknown): string {
  if (typeof model !== "string" || model === "") return "unknown";
  return model.slice(model.indexOf(":") + 1).replace(/^.*\//, "");
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
};

/** Returns why a request ended, or null if that is unknown, as Claude Code writes it. */
export function stopReason(metadata: JsonObject): string | null {
  const { finishReason, partial } = metadata;
  if (typeof finishReason === "string") return STOP_REASONS[finishReason] ?? null;
  return partial === true ? null : "end_turn";
}
