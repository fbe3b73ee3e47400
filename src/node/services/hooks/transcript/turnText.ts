/** The conversation of the turn as text, for the model that answers a prompt handler (H43). */
import type { JsonObject } from "@/common/json";
import { MIB } from "@/common/limits";
import { clip } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";
import { parseRows, partsOf, textOf } from "@/node/services/hooks/transcript/rows";

/** Of the end of the transcript, and of the text. */
const MAX_READ_BYTES = 2 * MIB;
const MAX_TURN_CHARS = 40_000;
/** Of the input and of the output of one tool. */
const MAX_TOOL_CHARS = 1_000;

/** Returns the messages since the last one of the user, the newest ones if they are long. Empty if it cannot be read. */
export async function readTurn(files: Files, transcriptPath: string): Promise<string> {
  const options = { maxBytes: MAX_READ_BYTES, tail: true };
  const read = await files.readFile(transcriptPath, options);
  const rows = read.map((bytes) => parseRows(new TextDecoder().decode(bytes))).unwrapOr([]);
  const start = rows.findLastIndex((row) => row.role === "user" && !isSynthetic(row));
  const text = rows.slice(Math.max(start, 0)).map(describeRow).join("\n");
  return text.length <= MAX_TURN_CHARS ? text : `[…]${text.slice(-MAX_TURN_CHARS)}`;
}

function isSynthetic({ metadata }: JsonObject): boolean {
  return (metadata as { synthetic?: unknown } | null | undefined)?.synthetic === true;
}

function describeRow(row: JsonObject): string {
  const parts = partsOf(row);
  const tools = parts.flatMap(({ type, toolName, input, output }) =>
    type === "dynamic-tool"
      ? [`Tool ${String(toolName)}: ${brief(input)}\nIts output: ${brief(output)}`]
      : []
  );
  const text = textOf(parts);
  const said = text === "" ? [] : [`${row.role === "user" ? "User" : "Agent"}: ${text}`];
  return [
    ...(row.role === "user" ? said : []),
    ...tools,
    ...(row.role === "user" ? [] : said),
  ].join("\n");
}

function brief(value: unknown): string {
  return clip(JSON.stringify(value ?? null), MAX_TOOL_CHARS);
}
