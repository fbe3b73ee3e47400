/**
 * Parses the record of a pause (which gates, or the whole Stop hook, and until when or for how many turns), and
 * determines whether a turn is paused (G42).
 */
import type { JsonObject } from "@/common/json";
import { sha256 } from "@/common/hash";
import type { PauseFacts } from "@/node/services/gauntlet/messages/shared";

export const MAX_PAUSE_TURNS = 100;
/** A day. */
export const MAX_PAUSE_MINUTES = 1_440;
export const MAX_PAUSE_REASON_CHARS = 200;

/** A pause that a person made with the command `pause`. */
export interface Pause extends PauseFacts {
  /** Absolute. */
  readonly projectDir: string;
  /** ISO 8601: when a person made it. */
  readonly since: string;
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
  const hash = sha256(turn, 32);
  if (pause.until === undefined && pause.seen.includes(hash)) return pause;
  if (isOver(pause, now)) return undefined;
  return pause.until === undefined ? { ...pause, seen: [...pause.seen, hash] } : pause;
}

/** Returns the pause in a record, or undefined if the record is invalid. */
export function pauseOf({ projectDir, since, until, ...read }: JsonObject): Pause | undefined {
  const { turns, seen, reason, gates } = read;
  if (typeof projectDir !== "string") return undefined;
  if (!isTime(since) || !(until === undefined || isTime(until))) return undefined;
  // A record with a later end was not written by the command.
  const latest = Math.min(Date.parse(since), Date.now()) + MAX_PAUSE_MINUTES * 60_000;
  if (until !== undefined && Date.parse(until) > latest) return undefined;
  const allowed = typeof turns === "number" && Number.isInteger(turns) ? turns : 0;
  if (allowed < 0 || allowed > MAX_PAUSE_TURNS) return undefined;
  // Without its names, a pause of some gates would turn all of them off.
  const isList = Array.isArray(gates) && gates.length > 0;
  if (gates !== undefined && !(isList && gates.every((name) => typeof name === "string"))) {
    return undefined;
  }
  return {
    projectDir,
    since,
    until,
    turns: allowed,
    seen: Array.isArray(seen) ? seen.filter((hash) => typeof hash === "string") : [],
    reason: typeof reason === "string" ? reason.slice(0, MAX_PAUSE_REASON_CHARS) : undefined,
    gates,
  };
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
