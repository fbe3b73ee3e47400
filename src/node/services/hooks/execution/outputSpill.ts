/** Reasons too long for an agent's context: kept whole in a file, sent as beginning, end and path (H17). */
import { createHash } from "node:crypto";
import { dirname, isAbsolute, join } from "node:path";
import { MAX_REASON_CHARS } from "@/common/limits";
import { sliceWhole } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";

/** Room for a path in the line that replaces the cut text. No file is written for a longer path. */
const MARKER_ROOM = 1_000;
/** The folder beside the transcript for texts that are too long. */
const SPILL_FOLDER = "hook-output";
const MAX_SPILLS = 50;

/**
 * Returns the text itself if it is short enough, otherwise at most 10,000 characters of it. `transcriptPath` is the one
 * that the hook got, on the machine of `files`. If no file can be written there, the text is cut all the same.
 */
export async function fitReason(
  files: Files,
  transcriptPath: string,
  text: string
): Promise<string> {
  if (text.length <= MAX_REASON_CHARS) return text;
  // A failure to write must not lose the verdict, even if `files` rejects.
  const path = await spill(files, transcriptPath, text).catch(() => undefined);
  const full = path === undefined ? "the full text could not be saved" : `full text in ${path}`;
  const marker = `\n\n[… shortened from ${text.length} characters; ${full} …]\n\n`;
  const half = Math.floor((MAX_REASON_CHARS - marker.length) / 2);
  const end = text.length;
  return `${sliceWhole(text, 0, half)}${marker}${sliceWhole(text, end - half, end)}`;
}

async function spill(
  files: Files,
  transcriptPath: string,
  text: string
): Promise<string | undefined> {
  if (!isAbsolute(transcriptPath) || transcriptPath.length > MARKER_ROOM) return undefined;
  const folder = join(dirname(transcriptPath), SPILL_FOLDER);
  // Equal texts share a file, so repeated texts do not fill the disk.
  const name = `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.txt`;
  const written = await files.writeFile(join(folder, name), text);
  if (written.isErr()) return undefined;
  await prune(files, folder, name);
  return join(folder, name);
}

async function prune(files: Files, folder: string, justWritten: string): Promise<void> {
  const listed = await files.list(folder);
  if (listed.isErr() || listed.value.length <= MAX_SPILLS) return;
  const paths = listed.value.filter((name) => name !== justWritten).map((n) => join(folder, n));
  const stats = await files.stat(paths);
  const age = (index: number): number => {
    const stat = stats[index];
    return stat !== undefined && "mtimeMs" in stat ? stat.mtimeMs : 0;
  };
  const oldestFirst = paths.map((path, i) => ({ path, at: age(i) })).sort((a, b) => a.at - b.at);
  const surplus = listed.value.length - MAX_SPILLS;
  for (const { path } of oldestFirst.slice(0, surplus)) await files.remove(path);
}
