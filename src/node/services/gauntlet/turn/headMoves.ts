/**
 * Reads from git's files a point in time of a worktree (its HEAD and the length of HEAD's reflog), and the moves of
 * HEAD between two points, so that a stop knows what happened since the turn or the last stop (G20a, G27a).
 * Distinguishes commits that were made here from those that a checkout or a pull brought (G32).
 */
import { posix } from "node:path";
import { KIB } from "@/common/limits";
import { objectOf } from "@/common/json";
import type { Files } from "@/node/runtime/HookRuntime";
import { headCommit, type GitReads } from "@/node/services/gauntlet/turn/readGitFolder";

/** A point in time of a worktree: its HEAD, and the length of HEAD's reflog. */
export interface WorkPoint {
  /** ISO 8601. */
  readonly at: string;
  /** The commit of HEAD. */
  readonly head: string;
  /** The size of HEAD's reflog in bytes. Git only appends to it. */
  readonly moves: number;
}

/** A point at which a stop gave a verdict. */
export interface SettledPoint extends WorkPoint {
  /** Digest of the tree, if gates ran on it. */
  readonly tree?: string;
  /** The snapshot that it ran on. Git may no longer have it. */
  readonly snapshot?: string;
  /** The last snapshots that passed at a stop of the session (G20e). */
  readonly passed?: readonly string[];
  /** The work elsewhere that the stop named (G20e). */
  readonly named?: readonly string[];
}

/** The clock of a file system may lag behind by a tick of the kernel, or it may count whole seconds only. */
const TICK_MS = 20;
const WHOLE_SECONDS_MS = 2_000;
const MAX_REFLOG_BYTES = 4 * KIB * KIB;
const MAX_MOVES_BYTES = 64 * KIB;

const reflogIn = (gitDir: string): string => posix.join(gitDir, "logs/HEAD");

/** Returns the current point, or undefined without a commit or a reflog. */
export async function workPoint(
  files: GitReads,
  gitDir: string,
  now: Date
): Promise<WorkPoint | undefined> {
  const head = await headCommit(files, gitDir);
  const [reflog] = await files.stat([reflogIn(gitDir)]);
  if (head === undefined || reflog?.kind !== "file") return undefined;
  return { at: now.toISOString(), head, moves: reflog.size };
}

/** Returns the point of a time in the past, by the whole seconds of HEAD's reflog. */
export async function workPointAt(
  files: GitReads,
  gitDir: string,
  time: Date
): Promise<WorkPoint | undefined> {
  const now = await workPoint(files, gitDir, time);
  const read = await files.readFile(reflogIn(gitDir), { maxBytes: MAX_MOVES_BYTES, tail: true });
  if (now === undefined || read.isErr()) return undefined;
  // One character for each byte, because a message may have another encoding than UTF-8.
  const lines = new TextDecoder("latin1").decode(read.value).split(/(?<=\n)/);
  const second = Math.floor(time.getTime() / 1_000);
  const later = lines.findIndex((line) => movesIn(line).some(({ atS }) => atS >= second));
  if (later === -1) return now;
  const [first] = movesIn(lines[later] ?? "");
  // The log may have more such lines than were read.
  if (first === undefined || (later === 0 && now.moves > read.value.length)) return undefined;
  const moves = now.moves - lines.slice(later).join("").length;
  return { ...now, head: first.before, moves };
}

/** Returns the point in a record, or undefined if the record is invalid. */
export function settledPointOf(value: unknown): SettledPoint | undefined {
  const { at, head, moves, tree, snapshot, passed, named } = objectOf(value);
  if (typeof at !== "string" || Number.isNaN(Date.parse(at))) return undefined;
  if (typeof head !== "string" || typeof moves !== "number") return undefined;
  return {
    ...{ at, head, moves },
    ...(typeof tree === "string" ? { tree } : {}),
    ...(typeof snapshot === "string" ? { snapshot } : {}),
    ...(isTexts(passed) ? { passed } : {}),
    ...(isTexts(named) ? { named } : {}),
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Returns whether a change time is not clearly before the point. */
export function isSince({ at }: WorkPoint, changedMs: number): boolean {
  const margin = changedMs % 1_000 === 0 ? WHOLE_SECONDS_MS : TICK_MS;
  return changedMs >= Date.parse(at) - margin;
}

/** A line of a reflog. */
export interface Move {
  readonly before: string;
  readonly after: string;
  /** Seconds since the epoch. */
  readonly atS: number;
  /** Such as `commit: subject`. */
  readonly text: string;
}

/** Returns the moves in the text of a reflog. */
export function movesIn(reflog: string): Move[] {
  return reflog.split("\n").flatMap((line) => {
    const [who = "", text = ""] = line.split("\t", 2);
    const fields = who.split(" ");
    const [before = "", after] = fields;
    return after === undefined ? [] : [{ before, after, text, atS: Number(fields.at(-2)) || 0 }];
  });
}

/** Returns the last moves of HEAD, or undefined if they cannot be read. */
export async function lastMoves(
  files: Pick<Files, "readFile">,
  gitDir: string
): Promise<Move[] | undefined> {
  const read = await files.readFile(reflogIn(gitDir), { maxBytes: MAX_REFLOG_BYTES, tail: true });
  return read.map((text) => movesIn(new TextDecoder().decode(text))).unwrapOr(undefined);
}

/** Matches the texts of moves to a commit that existed before. */
const ARRIVAL =
  /^$|^(?:checkout|reset|clone|Branch): |^(?:merge|pull)\b.*: Fast-forward$|^[^:]*\((?:start|finish)\): /;

/** Returns whether the move may have made its commit, as `commit` and `rebase (pick)` do. */
export function isMadeHere({ text }: Move): boolean {
  return !ARRIVAL.test(text);
}

/** Returns the moves of HEAD between two points, or undefined if they cannot be read or are too many. */
export async function movesBetween(
  files: Pick<Files, "readFile">,
  gitDir: string,
  { from, to }: { readonly from: WorkPoint; readonly to: WorkPoint }
): Promise<Move[] | undefined> {
  const bytes = to.moves - from.moves;
  if (bytes === 0) return [];
  if (bytes < 0 || bytes > MAX_MOVES_BYTES) return undefined;
  const read = await files.readFile(reflogIn(gitDir), { maxBytes: bytes, offset: from.moves });
  return read.map((text) => movesIn(new TextDecoder().decode(text))).unwrapOr(undefined);
}

/** Returns whether HEAD did not move between two points, or only by checkouts; in doubt, false. */
export async function hasOnlyCheckouts(
  files: Pick<Files, "readFile">,
  gitDir: string,
  { from, to }: { readonly from: WorkPoint; readonly to: WorkPoint }
): Promise<boolean> {
  const moves = await movesBetween(files, gitDir, { from, to });
  let { head } = from;
  for (const { before, after, text } of moves ?? []) {
    if (before !== head || !text.startsWith("checkout: ")) return false;
    head = after;
  }
  return moves !== undefined && head === to.head;
}
