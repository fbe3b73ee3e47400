/** Recognizes a host by the folder in which it keeps its transcripts. */
import type { JsonObject } from "@/common/json";

/** @param folder the host's folder in the user's home, such as `.codex` */
export function isInFolder(input: JsonObject, folder: string): boolean {
  const { transcript_path: path = input.transcriptPath } = input;
  return typeof path === "string" && path.includes(`/${folder}/`);
}
