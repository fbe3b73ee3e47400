/** A note in the git folder that gates of a project failed. It outlives the project's configuration (G24). */
import { posix } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";
import { findGitDir, type GitReads } from "@/node/services/gauntlet/turn/gitFolder";
import type { TurnStamp } from "@/node/services/gauntlet/turn/StopSession";
import {
  hashKey,
  readTurnFile,
  turnPath,
  writeTurnFile,
} from "@/node/services/gauntlet/turn/turnFiles";

export interface FailureNote extends TurnStamp {
  /** Absolute. */
  readonly projectDir: string;
  /** Absolute. */
  readonly logDir: string;
  /** The state after that run, in case its file is removed with the log folder (G16). */
  readonly state?: unknown;
}

export async function writeNote(files: Files, gitDir: string, note: FailureNote): Promise<void> {
  await writeTurnFile(files, gitDir, "failed", hashKey(note.projectDir), { ...note });
}

export async function removeNote(files: Files, gitDir: string, projectDir: string): Promise<void> {
  await files.remove(turnPath(gitDir, "failed", `${hashKey(projectDir)}.json`));
}

/** Returns the note of the nearest project from `cwd` upward, within its repository. */
export async function findNote(files: GitReads, cwd: string): Promise<FailureNote | undefined> {
  const gitDir = await findGitDir(files, cwd);
  if (gitDir === undefined) return undefined;
  for (let folder = cwd; ; folder = posix.dirname(folder)) {
    const note = await readNote(files, gitDir, folder);
    if (note !== undefined) return note;
    const [stat] = await files.stat([posix.join(folder, ".git")]);
    if (stat?.kind !== "missing" || folder === posix.dirname(folder)) return undefined;
  }
}

export async function readNote(
  files: Pick<GitReads, "readFile">,
  gitDir: string,
  projectDir: string
): Promise<FailureNote | undefined> {
  const read = await readTurnFile(files, gitDir, "failed", hashKey(projectDir));
  if (read === undefined) return undefined;
  const { session, turn, logDir, state } = read;
  const isWhole =
    typeof session === "string" && typeof turn === "string" && typeof logDir === "string";
  return isWhole ? { projectDir, session, turn, logDir, state } : undefined;
}
