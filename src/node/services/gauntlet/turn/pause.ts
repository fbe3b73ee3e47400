/** A pause of the Stop hook that a person made, recorded in the git folder (G42). */
import { definedOnly } from "@/common/definedOnly";
import type { JsonObject } from "@/common/json";
import type { Result } from "neverthrow";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import {
  hashKey,
  readTurnFile,
  turnPath,
  writeTurnFile,
} from "@/node/services/gauntlet/turn/turnFiles";

export const MAX_PAUSE_TURNS = 100;
/** A day. */
export const MAX_PAUSE_MINUTES = 1_440;
export const MAX_PAUSE_REASON_CHARS = 200;

export interface Pause {
  /** ISO 8601: when a person made it. */
  readonly since: string;
  /** ISO 8601: its end. Absent if turns end it. */
  readonly until?: string;
  /** The number of turns of a user; 0 if the time ends it. */
  readonly turns: number;
  /** Hashes of the turns that had a stop in the pause. */
  readonly seen: readonly string[];
  readonly reason?: string;
  /** Names of the only gates that do not run. Absent: the whole hook is off. */
  readonly gates?: readonly string[];
}

export interface PausePlace {
  /** Absolute. */
  readonly gitDir: string;
  /** Absolute. */
  readonly projectDir: string;
}

/** Returns the pause even if it is over. An invalid record counts as none. */
export async function readPause(
  files: Pick<Files, "readFile">,
  { gitDir, projectDir }: PausePlace
): Promise<Pause | undefined> {
  const read = await readTurnFile(files, gitDir, "pauses", hashKey(projectDir));
  return read?.projectDir === projectDir ? pauseOf(read) : undefined;
}

export async function writePause(
  files: Files,
  { gitDir, projectDir }: PausePlace,
  pause: Pause
): Promise<Result<void, FileFailure>> {
  const content = { projectDir, ...pause };
  return await writeTurnFile(files, gitDir, "pauses", hashKey(projectDir), content);
}

export async function removePause(
  files: Files,
  { gitDir, projectDir }: PausePlace
): Promise<Result<void, FileFailure>> {
  return await files.remove(turnPath(gitDir, "pauses", `${hashKey(projectDir)}.json`));
}

/** Returns whether the time of a pause is over, or all its turns have begun. */
export function isOver({ until, turns, seen }: Pause, now: Date): boolean {
  return until === undefined ? seen.length >= turns : now.getTime() >= Date.parse(until);
}

/**
 * Returns the pause with this turn, or undefined if the pause does not include it.
 *
 * @param turn identifies the turn and its session
 */
export function pauseIn(pause: Pause, turn: string, now: Date): Pause | undefined {
  if (pause.until !== undefined) return isOver(pause, now) ? undefined : pause;
  const hash = hashKey(turn);
  if (pause.seen.includes(hash)) return pause;
  return isOver(pause, now) ? undefined : { ...pause, seen: [...pause.seen, hash] };
}

function pauseOf({ since, until, turns, seen, reason, gates }: JsonObject): Pause | undefined {
  if (!isTime(since) || !(until === undefined || isTime(until))) return undefined;
  // A record with a later end was not written by the command.
  const end = until === undefined ? undefined : Date.parse(until) - Date.parse(since);
  if (end !== undefined && end > MAX_PAUSE_MINUTES * 60_000) return undefined;
  const allowed = typeof turns === "number" && Number.isInteger(turns) ? turns : 0;
  if (allowed < 0 || allowed > MAX_PAUSE_TURNS) return undefined;
  // Without its names, a pause of some gates would turn all of them off.
  const isList = Array.isArray(gates) && gates.length > 0;
  if (gates !== undefined && !(isList && gates.every((name) => typeof name === "string"))) {
    return undefined;
  }
  return {
    since,
    turns: allowed,
    seen: Array.isArray(seen) ? seen.filter((hash) => typeof hash === "string") : [],
    ...definedOnly({ until, gates }),
    ...(typeof reason === "string" ? { reason: reason.slice(0, MAX_PAUSE_REASON_CHARS) } : {}),
  };
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
