/** A transcript whose last message the host is still writing, and keeps in a file of its own meanwhile (H13). */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";

/** More than this is not worth the memory. */
const MAX_BYTES = 64 * MIB;

/**
 * Writes a copy of a session's `chat.jsonl` with that message in it, which goes with the session's folder.
 * @returns its path, or that of `chat.jsonl` where nothing can be filled in
 */
export async function writeRunningTranscript(sessionDir: string): Promise<string> {
  const chat = join(sessionDir, "chat.jsonl");
  const copy = join(sessionDir, "chat.subagent-stop.jsonl");
  try {
    const partial = join(sessionDir, "partial.json");
    const sizes = await Promise.all([stat(chat), stat(partial)]);
    if (sizes.some(({ size }) => size > MAX_BYTES)) return chat;
    const [rows, running] = await Promise.all([readFile(chat, "utf8"), readFile(partial, "utf8")]);
    const message = parseJson(running).unwrapOr(undefined);
    if (!isJsonObject(message)) return chat;
    const before = rows.split("\n").filter((row) => row !== "" && !isRowOf(message.id, row));
    await writeFile(copy, [...before, JSON.stringify(message), ""].join("\n"), { mode: 0o600 });
    return copy;
  } catch {
    // The message was finished in between, and stands in the transcript itself.
    return chat;
  }
}

/** The host keeps its place with a row that holds nothing yet. */
function isRowOf(id: unknown, row: string): boolean {
  const parsed = parseJson(row).unwrapOr(undefined);
  return isJsonObject(parsed) && parsed.id === id;
}
