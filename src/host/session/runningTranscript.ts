/** Completes a transcript whose last message the host is still writing and keeps in a separate file meanwhile (H13). */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";

/** The maximum size of each file, to limit memory. */
const MAX_BYTES = 64 * MIB;

/**
 * Writes a copy of a session's `chat.jsonl` that includes the message. The copy is removed with the session's folder.
 * @returns the path of the copy, or of `chat.jsonl` if there is no message to add
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
    // The message was completed in between and is in the transcript itself.
    return chat;
  }
}

/** Returns whether a row has the message's id. The host reserves its position with an empty row. */
function isRowOf(id: unknown, row: string): boolean {
  const parsed = parseJson(row).unwrapOr(undefined);
  return isJsonObject(parsed) && parsed.id === id;
}
