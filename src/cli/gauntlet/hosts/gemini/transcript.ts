/** The transcript of Gemini CLI, whose hook input has all messages of a turn joined (G38). */
import { textOf } from "@/cli/gauntlet/hosts/define";
import type { StopInput } from "@/cli/gauntlet/hosts/types";
import { isJsonObject, parseJson } from "@/common/json";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/readText";

const MAX_BYTES = 256 * KIB;

/** Returns the last message of the agent with a text, or else the whole turn if the hook input does not end with it. */
export async function lastOfTurn(
  files: Files,
  { transcriptPath, lastMessage }: StopInput
): Promise<string | undefined> {
  if (transcriptPath?.startsWith("/") !== true) return lastMessage;
  const end = await readText(files, transcriptPath, { maxBytes: MAX_BYTES, tail: true });
  for (const line of (end ?? "").split("\n").reverse()) {
    const row = parseJson(line).unwrapOr(undefined);
    const text = isJsonObject(row) && row.type === "gemini" ? textOf(row.content) : "";
    if (text.trim() !== "") return lastMessage?.endsWith(text) === true ? text : lastMessage;
  }
  return lastMessage;
}
