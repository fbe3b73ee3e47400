/**
 * Converts Mux's transcript to Claude Code's format (H9): one JSON object per line with `type`, `message.role` and
 * `message.content` blocks. Published hooks parse only that format.
 */
import { basename, dirname, join } from "node:path";
import { isJsonObject, type JsonObject } from "@/common/json";
import { MIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import type { ClaudeTranscripts, CompleteHookInput } from "@/node/services/hooks/contract/input";
import { parseRows, partsOf } from "@/node/services/hooks/transcript/rows";

/** Maximum size of the part that is converted. Hooks read the end of a transcript, and more is not worth the memory. */
const MAX_TRANSCRIPT_BYTES = 64 * MIB;

/** Writes the converted transcripts that this input needs. If one cannot be made, the hook gets Mux's own. */
export async function projectClaudeTranscripts(
  files: Files,
  input: CompleteHookInput
): Promise<ClaudeTranscripts> {
  const own = await project(files, input.transcript_path, input.session_id);
  const parentPath = input.parent_transcript_path;
  if (input.hook_event_name === "Stop" || parentPath === undefined) return { own };
  const parent = await project(files, parentPath, input.parent_session_id ?? input.session_id);
  return { own, parent };
}

async function project(files: Files, path: string, sessionId: string): Promise<string> {
  const read = await files.readFile(path, { maxBytes: MAX_TRANSCRIPT_BYTES, tail: true });
  if (read.isErr()) return path;
  const rows = parseRows(new TextDecoder().decode(read.value));
  const lines = rows.flatMap((row) => toClaude(row, sessionId));
  const target = join(dirname(path), `${basename(path, ".jsonl")}.claude.jsonl`);
  const written = await files.writeFile(
    target,
    lines.map((l) => `${JSON.stringify(l)}\n`).join("")
  );
  return written.isOk() ? target : path;
}

function toClaude(row: JsonObject, sessionId: string): JsonObject[] {
  if (row.role === "user") {
    const content = partsOf(row).flatMap(textBlock);
    return [entry(row, sessionId, "user", content)];
  }
  if (row.role !== "assistant") return [];
  return toClaudeAnswer(row, sessionId);
}

/** Converts an answer. In Claude's format a tool call ends the assistant's message; its result is a user message. */
function toClaudeAnswer(row: JsonObject, sessionId: string): JsonObject[] {
  const lines: JsonObject[] = [];
  let content: JsonObject[] = [];
  for (const part of partsOf(row)) {
    if (part.type !== "dynamic-tool") {
      content.push(...textBlock(part));
      continue;
    }
    const id = part.toolCallId;
    content.push({ type: "tool_use", id, name: part.toolName, input: part.input ?? {} });
    if (!("output" in part)) continue;
    lines.push(entry(row, sessionId, "assistant", content));
    const result = { type: "tool_result", tool_use_id: id, content: asText(part.output) };
    lines.push(entry(row, sessionId, "user", [result]));
    content = [];
  }
  if (content.length > 0) lines.push(entry(row, sessionId, "assistant", content));
  return lines;
}

function entry(
  row: JsonObject,
  sessionId: string,
  role: "user" | "assistant",
  content: readonly JsonObject[]
): JsonObject {
  const metadata = isJsonObject(row.metadata) ? row.metadata : {};
  const at = metadata.timestamp;
  return {
    type: role,
    uuid: row.id,
    sessionId,
    ...(typeof at === "number" && Number.isFinite(at) ? { timestamp: isoTime(at) } : {}),
    message: { role, content: joinText(content) },
  };
}

function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

function textBlock(part: JsonObject): JsonObject[] {
  return part.type === "text" && typeof part.text === "string"
    ? [{ type: "text", text: part.text }]
    : [];
}

/** Joins adjacent text. Mux stores one part per delta, whereas Claude's blocks are whole. */
function joinText(content: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const block of content) {
    const last = joined.at(-1);
    if (block.type === "text" && last?.type === "text") {
      joined[joined.length - 1] = { ...last, text: `${String(last.text)}${String(block.text)}` };
    } else joined.push(block);
  }
  return joined;
}

function asText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? "");
}
