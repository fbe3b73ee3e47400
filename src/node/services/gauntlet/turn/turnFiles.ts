/** Small JSON files in the git folder, where they survive a clean and the loss of the log folder (G19, G24, G27a). */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import { sha256 } from "@/common/hash";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";

export type TurnFolder = "sessions" | "turns" | "failed" | "gates" | "fixes" | "pauses";

/** Maximum number of files in each folder. The oldest files are removed first. */
const MAX_FILES = 100;
/** Enough for 256 KiB of configuration and 256 KiB of scripts as JSON. */
const MAX_FILE_BYTES = 4 * KIB * KIB;
const FOLDER = "agent-gauntlet";

/** Returns the file name for a session, or for all callers without one. */
export function sessionKey(sessionId: string | undefined): string {
  return sessionId === undefined || sessionId === "" ? NO_SESSION : hashKey(sessionId);
}

/** Returns the ID of a session for the second of its projects in one repository, which have records of their own (G24). */
export function secondSession(sessionId = ""): string {
  return `${sessionId} 2`;
}

export const NO_SESSION = "none";

export function hashKey(text: string): string {
  return sha256(text, 32);
}

export function turnPath(gitDir: string, ...names: readonly string[]): string {
  return posix.join(gitDir, FOLDER, ...names);
}

/** Returns undefined if the file does not exist or is invalid. */
export async function readTurnFile(
  files: Pick<Files, "readFile">,
  gitDir: string,
  folder: TurnFolder,
  key: string
): Promise<JsonObject | undefined> {
  const path = turnPath(gitDir, folder, `${key}.json`);
  const read = await files.readFile(path, { maxBytes: MAX_FILE_BYTES });
  if (read.isErr()) return undefined;
  const json = parseJson(new TextDecoder().decode(read.value)).unwrapOr(undefined);
  return isJsonObject(json) ? json : undefined;
}

/** Writes a file atomically. Removes the oldest files of the folder if there are too many. */
export async function writeTurnFile(
  files: Files,
  gitDir: string,
  folder: TurnFolder,
  key: string,
  content: JsonObject
): Promise<Result<void, FileFailure>> {
  const path = turnPath(gitDir, folder, `${key}.json`);
  const written = await files.writeFile(path, `${JSON.stringify(content)}\n`);
  await prune(files, turnPath(gitDir, folder));
  return written;
}

/** Removes the oldest files or folders of a folder if there are too many. */
export async function prune(files: Files, folder: string): Promise<void> {
  const names = (await files.list(folder)).unwrapOr([]);
  if (names.length <= MAX_FILES) return;
  const byAge = await newestFirst(files, folder, names);
  await Promise.all(byAge.slice(MAX_FILES).map((name) => files.remove(posix.join(folder, name))));
}

async function newestFirst(
  files: Pick<Files, "stat">,
  folder: string,
  names: readonly string[]
): Promise<string[]> {
  const stats = await files.stat(names.map((name) => posix.join(folder, name)));
  const time = (i: number): number => {
    const stat = stats[i];
    return stat === undefined || stat.kind === "missing" || stat.kind === "failed"
      ? 0
      : stat.mtimeMs;
  };
  return names
    .map((name, i) => ({ name, at: time(i) }))
    .sort((a, b) => b.at - a.at)
    .map(({ name }) => name);
}

/** Returns the key of the newest file in a folder. */
export async function newestKey(
  files: Files,
  gitDir: string,
  folder: TurnFolder
): Promise<string | undefined> {
  const path = turnPath(gitDir, folder);
  const names = (await files.list(path)).unwrapOr([]).filter((name) => name.endsWith(".json"));
  const [newest] = await newestFirst(files, path, names);
  return newest?.replace(/\.json$/, "");
}
