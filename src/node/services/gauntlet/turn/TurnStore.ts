/**
 * Reads and writes small JSON files in the git folder, where they survive a clean and the loss of the log folder (G19,
 * G24, G27a): records of sessions, turns and the gates at their start, notes of failed gates, pauses and fixes. Keeps
 * the newest 100 of each kind. Also finds the note of the nearest project.
 */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import { sha256 } from "@/common/hash";
import { isJsonObject, objectOf, parseJson, type JsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import { isLost } from "@/node/runtime/lostConnection";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { findGitDir, turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import { pauseOf } from "@/node/services/gauntlet/turn/pauseRecord";
import { gatesOf, type TurnGates } from "@/node/services/gauntlet/turn/gatesAtTurnStart";
import * as workPoints from "@/node/services/gauntlet/turn/headMoves";

/** The last failed stop of a session (G38). */
export interface FailedTree {
  /** Digest of the tree, and of everything else that selects the gates. */
  readonly tree: string;
  /** Digest of the failures. */
  readonly failures: string;
  /** IDs of the jobs that passed on this tree. */
  readonly passed: readonly string[];
  /** The failed stops of the turn, if all of them had this tree and these failures; else 0 (G19). */
  readonly stops: number;
}

/** The last stop of a session whose answer has a text for the agent or the user (G40). */
export interface AnsweredStop {
  /** Digest of the input. */
  readonly stop: string;
  /** When the answer was written, in milliseconds since the epoch. */
  readonly at: number;
  /** The reason of a block, if the host may run another hook for the same stop. */
  readonly reason?: string;
}

/** The facts that the stops of a session record for the next ones. */
export interface SessionRecord {
  readonly turn: string;
  readonly failed: number;
  /** Whether the previous stop failed only because of the time limit (G27c). */
  readonly byLimit: boolean;
  /** Whether the last checked stop of the session failed, in this turn or an earlier one. */
  readonly hasOpenFailure: boolean;
  /** Whether the last checked stop sent the agent back, and the host sends its next stop. */
  readonly isHeld: boolean;
  /** Hashes of the lasting facts that were shown to the user (G25a). */
  readonly shown: readonly string[];
  /** The texts of those that apply now, for `status`. */
  readonly notes: readonly string[];
  /** Whether files that changed while checks ran were named (G20c). */
  readonly hasNamedUnstable: boolean;
  /** Hashes of the IDs of the agents that ran in the background at the last stop (G39). */
  readonly background: readonly string[];
  /** The number of stops of the turn that were postponed. */
  readonly postponed: number;
  /** Whether a stop was postponed, and no stop was checked since (G39). */
  readonly isUnverified: boolean;
  /** Hash of the last turn in which the user was shown that gates do not end in time, and of these gates (G27c). */
  readonly limitNamed?: string;
  readonly failedTree?: FailedTree;
  /** The last turn in which a stop failed. */
  readonly failedIn?: string;
  readonly answered?: AnsweredStop;
  /** The last stop that settled the changes before it (G20a). */
  readonly settled?: workPoints.SettledPoint;
}

/** The record of a user's turn that `turn-start` writes (G27a). */
export interface TurnRecord {
  readonly id?: string;
  /** The commit of HEAD when the turn began. */
  readonly head?: string;
  /** When it began, in ISO 8601. */
  readonly at?: string;
  /** The session's first message (G20a). */
  readonly first?: workPoints.WorkPoint;
  /** The turn, as the host names it. */
  readonly turn?: string;
  /** The files with the Stop hook of the agent host when the turn began, or the last time that there was one. */
  readonly hooks: readonly string[];
  /** Set if the turn began while failed stops sent the agent back: when, and the number of these stops. */
  readonly reset?: { readonly at: string; readonly failed: number };
  /** Whether the agent was informed that it may run the gates itself (G7a). */
  readonly hasTold?: boolean;
  /** The process of the agent (G18). */
  readonly agent?: unknown;
}

/** A note that gates of a project failed. It outlives the project's configuration (G24). */
export interface FailureNote {
  /** Absolute. */
  readonly projectDir: string;
  readonly session: string;
  readonly turn: string;
  /** Absolute. */
  readonly logDir: string;
  /** The state after that run, in case its file is removed with the log folder (G16). */
  readonly state?: unknown;
}

/**
 * The function that reads the records in each folder. An older version may have written them, so a field of another
 * type counts as missing.
 */
const RECORDS = {
  sessions: (read: JsonObject): SessionRecord => ({
    turn: text(read.turn) ?? "",
    failed: count(read.failed),
    byLimit: read.byLimit === true,
    hasOpenFailure: read.hasOpenFailure === true,
    isHeld: read.isHeld === true,
    shown: texts(read.shown),
    notes: texts(read.notes),
    hasNamedUnstable: read.hasNamedUnstable === true,
    background: texts(read.background),
    postponed: count(read.postponed),
    isUnverified: read.isUnverified === true,
    failedTree: failedTreeOf(read.failedTree),
    failedIn: text(read.failedIn),
    limitNamed: text(read.limitNamed),
    answered: answeredOf(read.answered),
    settled: workPoints.settledPointOf(read.settled),
  }),
  turns: ({ id, head, at, first, turn, hooks, reset, hasTold, agent }: JsonObject): TurnRecord => ({
    id: text(id),
    head: text(head),
    turn: text(turn),
    hooks: texts(hooks).filter((path) => path.startsWith("/") && path.length <= MAX_PATH_CHARS),
    reset:
      isJsonObject(reset) && typeof reset.at === "string"
        ? { at: reset.at, failed: Number(reset.failed) || 1 }
        : undefined,
    at: typeof at === "string" && !Number.isNaN(Date.parse(at)) ? at : undefined,
    first: workPoints.settledPointOf(first),
    hasTold: hasTold === true,
    agent,
  }),
  failed: ({ projectDir, session, turn, logDir, state }: JsonObject): FailureNote | undefined =>
    typeof projectDir === "string" &&
    typeof session === "string" &&
    typeof turn === "string" &&
    typeof logDir === "string"
      ? { projectDir, session, turn, logDir, state }
      : undefined,
  pauses: pauseOf,
  gates: gatesOf,
  fixes: (read: JsonObject): JsonObject => read,
} as const;

export type TurnFolder = keyof typeof RECORDS;
type RecordIn<F extends TurnFolder> = NonNullable<ReturnType<(typeof RECORDS)[F]>>;

export const NO_TURN: TurnRecord = { hooks: [] };
export const NEW_SESSION: SessionRecord = RECORDS.sessions({});

const MAX_PATH_CHARS = 4_096;
/** Maximum number of files in each folder. The oldest files are removed first. */
const MAX_FILES = 100;
/** Enough for 256 KiB of configuration and 256 KiB of scripts as JSON. */
const MAX_FILE_BYTES = 4 * KIB * KIB;

export class TurnStore {
  /** Set once a record could not be read because its machine is unreachable, so that it must not be replaced. */
  lost: FileFailure | undefined;

  constructor(
    private readonly files: Files,
    private readonly gitDir: string
  ) {}

  /** Returns undefined if the file does not exist or is invalid. */
  async read<F extends TurnFolder>(folder: F, key: string): Promise<RecordIn<F> | undefined> {
    const read = await this.files.readFile(this.#path(folder, key), { maxBytes: MAX_FILE_BYTES });
    if (read.isErr() && isLost(read.error)) this.lost = read.error;
    const text = new TextDecoder().decode(read.unwrapOr(undefined));
    const json = parseJson(text).unwrapOr(undefined);
    return isJsonObject(json) ? (RECORDS[folder](json) as RecordIn<F> | undefined) : undefined;
  }

  /** Writes a file atomically. Removes the oldest files of the folder if there are too many. */
  async write(
    folder: TurnFolder,
    key: string,
    content: object
  ): Promise<Result<void, FileFailure>> {
    const text = `${JSON.stringify(content)}\n`;
    const written = await this.files.writeFile(this.#path(folder, key), text);
    await prune(this.files, turnPath(this.gitDir, folder));
    return written;
  }

  async remove(folder: TurnFolder, key: string): Promise<Result<void, FileFailure>> {
    return await this.files.remove(this.#path(folder, key));
  }

  /** Returns the keys of the files in folders, the newest first. Each key counts in the first folder that has it. */
  async keys(...folders: readonly TurnFolder[]): Promise<string[]> {
    const found = new Map<string, string>();
    for (const folder of folders) {
      const names = (await this.files.list(turnPath(this.gitDir, folder))).unwrapOr([]);
      const others = names.filter((name) => name.endsWith(".json") && !found.has(name));
      for (const name of others) found.set(name, posix.join(folder, name));
    }
    const sorted = await newestFirst(this.files, turnPath(this.gitDir), [...found.values()]);
    return sorted.map((path) => posix.basename(path, ".json"));
  }

  /** Returns the configuration of a project at the beginning of a session's turn (G20d). */
  async gatesOf(projectDir: string, key: string): Promise<TurnGates | undefined> {
    const gates = await this.read("gates", key);
    return gates?.projectDir === projectDir ? gates : undefined;
  }

  /** Returns the record that was written last. */
  async newest<F extends TurnFolder>(folder: F): Promise<RecordIn<F> | undefined> {
    const [key] = await this.keys(folder);
    return key === undefined ? undefined : await this.read(folder, key);
  }

  #path(folder: TurnFolder, key: string): string {
    return turnPath(this.gitDir, folder, `${key}.json`);
  }
}

export const NO_SESSION = "none";

/** Returns the file name for a session, or for all callers without one. */
export function sessionKey(sessionId: string | undefined): string {
  return sessionId === undefined || sessionId === "" ? NO_SESSION : hashKey(sessionId);
}

/** Returns the session ID for a project beside the one that the agent host names, in one repository (G24). */
export function secondSession(sessionId: string | undefined, projectDir: string): string {
  return `${sessionId ?? ""} ${projectDir}`;
}

/** Returns the file name for a project or another text. */
export function hashKey(text: string): string {
  return sha256(text, 32);
}

/** Removes the oldest files or folders of a folder if there are too many. */
export async function prune(files: Files, folder: string): Promise<void> {
  const names = (await files.list(folder)).unwrapOr([]);
  if (names.length <= MAX_FILES) return;
  const byAge = await newestFirst(files, folder, names);
  await Promise.all(byAge.slice(MAX_FILES).map((name) => files.remove(posix.join(folder, name))));
}

async function newestFirst(
  files: Files,
  folder: string,
  names: readonly string[]
): Promise<string[]> {
  const stats = await files.stat(names.map((name) => posix.join(folder, name)));
  return names
    .map((name, i) => {
      const stat = stats[i];
      return { name, at: stat !== undefined && "mtimeMs" in stat ? stat.mtimeMs : 0 };
    })
    .sort((a, b) => b.at - a.at)
    .map(({ name }) => name);
}

/** Returns the note of the nearest project from `cwd` upward, within its repository (G24). */
export async function findNote(files: Files, cwd: string): Promise<FailureNote | undefined> {
  const gitDir = await findGitDir(files, cwd);
  if (gitDir === undefined) return undefined;
  for (let folder = cwd; ; folder = posix.dirname(folder)) {
    const note = await new TurnStore(files, gitDir).read("failed", hashKey(folder));
    if (note !== undefined) return note;
    const [stat] = await files.stat([posix.join(folder, ".git")]);
    if (stat?.kind !== "missing" || folder === posix.dirname(folder)) return undefined;
  }
}

function failedTreeOf(value: unknown): FailedTree | undefined {
  const { tree, failures, passed, stops } = objectOf(value);
  if (typeof tree !== "string" || typeof failures !== "string") return undefined;
  return { tree, failures, passed: texts(passed), stops: count(stops) };
}

function answeredOf(value: unknown): AnsweredStop | undefined {
  const { stop, at, reason } = objectOf(value);
  if (typeof stop !== "string" || typeof at !== "number") return undefined;
  return { stop, at, reason: text(reason) };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
