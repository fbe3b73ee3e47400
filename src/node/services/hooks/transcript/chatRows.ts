/**
 * Parses the rows of Mux's `chat.jsonl`, makes the rows with which hooks continue a turn, and counts them after a
 * restart (H27). Also reads the last turn as text, for prompt handlers (H43).
 */
import { isJsonObject, objectOf, parseJson, type JsonObject } from "@/common/json";
import { DEFAULT_MAX_CONTINUATIONS, MIB } from "@/common/limits";
import { clip } from "@/common/safeText";
import type { Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";

/** Returns the objects of a transcript. Skips incomplete and invalid lines. */
export function parseRows(text: string): JsonObject[] {
  return text.split("\n").flatMap<JsonObject>((line) => parseRow(line) ?? []);
}

/** Returns the object of a line, or undefined if the line is incomplete or invalid. */
export function parseRow(line: string): JsonObject | undefined {
  if (line.trim() === "") return undefined;
  const parsed = parseJson(line);
  return parsed.isOk() && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/** Returns the parts of a message that are objects. */
export function partsOf({ parts }: JsonObject): JsonObject[] {
  return Array.isArray(parts) ? parts.filter(isJsonObject) : [];
}

/** Joins the text of a message. Mux stores one part per delta. */
export function textOf(parts: readonly JsonObject[]): string {
  return parts
    .flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []))
    .join("");
}

/** A row of a transcript that continues a turn. */
export interface ContinuationRow {
  readonly role: "user";
  readonly parts: readonly [{ readonly type: "text"; readonly text: string }];
  readonly metadata: {
    readonly synthetic: true;
    readonly muxMetadata: { readonly stopHookActive: true };
  };
}

/** Returns the row for a message with which hooks send the agent back, marked so that a restart counts it (H27). */
export function continuationRow(message: string): ContinuationRow {
  return {
    role: "user",
    parts: [{ type: "text", text: message }],
    metadata: { synthetic: true, muxMetadata: { stopHookActive: true } },
  };
}

/**
 * Counts user rows marked `muxMetadata.stopHookActive` since the last row that a user wrote, or with which the host began
 * a turn after a stop. Only the mark counts, never the text, which a user could type. After a stop at the default limit,
 * which the hooks may not have allowed, a turn of the host begins no new count.
 */
export function continuationsInTurn(rows: readonly unknown[]): number {
  let count = 0;
  rows.forEach((row, i) => {
    if (!isJsonObject(row) || row.role !== "user") return;
    const metadata = objectOf(row.metadata);
    const mux = objectOf(metadata.muxMetadata);
    // A request for a summary of the history is not a message to the agent, so it does not begin a turn.
    if (mux.stopHookActive === true) count++;
    else if (metadata.synthetic === true) {
      const next = rows[i + 1];
      const begins = isAnswer(rows[i - 1]) && !(isJsonObject(next) && next.role === "user");
      if (begins && count < DEFAULT_MAX_CONTINUATIONS) count = 0;
    } else if (mux.type !== "compaction-request") count = 0;
  });
  return count;
}

/** Returns whether a row is a complete answer of the agent, and not a summary of the history. */
function isAnswer(row: unknown): boolean {
  if (!isJsonObject(row) || row.role !== "assistant") return false;
  const { partial, compacted, compactionBoundary } = objectOf(row.metadata);
  return partial !== true && !compacted && compactionBoundary !== true;
}

/** The limits of the end of the transcript that is read, and of the returned text. */
const MAX_READ_BYTES = 2 * MIB;
const MAX_TURN_CHARS = 40_000;
/** The limit of the input of a tool, and of its output. */
const MAX_TOOL_CHARS = 1_000;

/** Returns the messages since the user's last one, or the newest of them. Returns an empty text if reading fails. */
export async function readTurn(files: Files, transcriptPath: string): Promise<string> {
  const options = { maxBytes: MAX_READ_BYTES, tail: true };
  const rows = parseRows((await readText(files, transcriptPath, options)) ?? "");
  const start = rows.findLastIndex(
    ({ role, metadata }) => role === "user" && objectOf(metadata).synthetic !== true
  );
  const text = rows.slice(Math.max(start, 0)).map(describeRow).join("\n");
  return text.length <= MAX_TURN_CHARS ? text : `[…]${text.slice(-MAX_TURN_CHARS)}`;
}

function describeRow(row: JsonObject): string {
  const parts = partsOf(row);
  const tools = parts.flatMap(({ type, toolName, input, output }) =>
    type === "dynamic-tool"
      ? [`Tool ${String(toolName)}: ${brief(input)}\nIts output: ${brief(output)}`]
      : []
  );
  const text = textOf(parts);
  const isUser = row.role === "user";
  const message = text === "" ? [] : [`${isUser ? "User" : "Agent"}: ${text}`];
  return (isUser ? [...message, ...tools] : [...tools, ...message]).join("\n");
}

function brief(value: unknown): string {
  return clip(JSON.stringify(value ?? null), MAX_TOOL_CHARS);
}
