/** The failed stops of one user's turn in one session (G19, G27a). */
import { randomUUID } from "node:crypto";
import { err, type Result } from "neverthrow";
import type { JsonObject } from "@/common/json";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { NO_GIT_FOLDER } from "@/node/services/gauntlet/messages/stop";
import {
  hashKey,
  newestKey,
  NO_SESSION,
  readTurnFile,
  sessionKey,
  writeTurnFile,
} from "@/node/services/gauntlet/turn/turnFiles";

/** The user's turn to which an event belongs. */
export interface TurnStamp {
  readonly session: string;
  readonly turn: string;
}

export interface StopIdentity {
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly beginsTurn: boolean;
  readonly stopHookActive: boolean;
}

/** The count of failed stops, for a run that a Stop hook started. */
export interface StopCount extends TurnStamp {
  /** Stops of this turn that failed. */
  readonly failed: number;
  /** Whether the previous stop failed only because of the time limit (G27c). */
  readonly byLimit: boolean;
}

interface SessionRecord {
  readonly turn: string;
  readonly failed: number;
  readonly byLimit: boolean;
  readonly hasOpenFailure: boolean;
  /** Hashes of the lasting facts that were shown to the user (G25a). */
  readonly shown: readonly string[];
  /** Whether files that changed while checks ran were named (G20c). */
  readonly hasNamedUnstable: boolean;
}

const MAX_SHOWN = 200;

export class StopSession {
  static async open(
    files: Files,
    gitDir: string | undefined,
    identity: StopIdentity
  ): Promise<StopSession> {
    const key = sessionKey(identity.sessionId);
    const before = gitDir === undefined ? undefined : await readRecord(files, gitDir, key);
    const started = gitDir === undefined ? undefined : await startedTurn(files, gitDir, key);
    const known = started ?? (identity.turnId === undefined ? undefined : `id ${identity.turnId}`);
    const begins = identity.beginsTurn && !identity.stopHookActive;
    const turn = known ?? (begins ? randomUUID() : (before?.turn ?? randomUUID()));
    const isSame = before?.turn === turn;
    return new StopSession(files, gitDir, key, {
      turn,
      failed: isSame ? before.failed : 0,
      byLimit: isSame && before.byLimit,
      hasOpenFailure: before?.hasOpenFailure ?? false,
      shown: before?.shown ?? [],
      hasNamedUnstable: before?.hasNamedUnstable ?? false,
    });
  }

  private constructor(
    private readonly files: Files,
    private readonly gitDir: string | undefined,
    private readonly key: string,
    private record: SessionRecord
  ) {}

  get count(): StopCount {
    const { turn, failed, byLimit } = this.record;
    return { session: this.key, turn, failed, byLimit };
  }

  /** Returns whether the last checked stop of the session failed, in this turn or an earlier one. */
  get hasOpenFailure(): boolean {
    return this.record.hasOpenFailure;
  }

  /** Counts a failed stop. A stop that cannot be counted must not block (G19). */
  async countFailure({ byLimit }: { byLimit: boolean }): Promise<Result<void, FileFailure>> {
    const { failed } = this.record;
    this.record = { ...this.record, failed: failed + 1, byLimit, hasOpenFailure: true };
    return await this.#save();
  }

  async countPass(): Promise<void> {
    const { failed, byLimit, hasOpenFailure } = this.record;
    if (failed === 0 && !byLimit && !hasOpenFailure) return;
    this.record = { ...this.record, failed: 0, byLimit: false, hasOpenFailure: false };
    await this.#save();
  }

  /** Returns the facts that the user was not shown yet, and records those that apply now. */
  async newFacts(facts: readonly string[]): Promise<readonly string[]> {
    const hashes = facts.map((fact) => hashKey(fact).slice(0, 12));
    const { shown } = this.record;
    const news = facts.filter((_, i) => !shown.includes(hashes[i] ?? ""));
    const isSame = news.length === 0 && shown.length === hashes.length;
    if (isSame) return [];
    this.record = { ...this.record, shown: hashes.slice(0, MAX_SHOWN) };
    await this.#save();
    return news;
  }

  /** Returns true once per session (G20c). */
  async mayNameUnstable(): Promise<boolean> {
    if (this.record.hasNamedUnstable) return false;
    this.record = { ...this.record, hasNamedUnstable: true };
    await this.#save();
    return true;
  }

  async #save(): Promise<Result<void, FileFailure>> {
    if (this.gitDir === undefined) {
      return err({ path: ".git", code: "ENOENT", message: NO_GIT_FOLDER });
    }
    return await writeTurnFile(this.files, this.gitDir, "sessions", this.key, { ...this.record });
  }
}

/** Returns the current turn of a session, or undefined if it is unknown. */
export async function currentTurn(
  files: Files,
  gitDir: string,
  session: string
): Promise<string | undefined> {
  const started = await startedTurn(files, gitDir, session);
  return started ?? (await readRecord(files, gitDir, session))?.turn;
}

/** Returns the turn that began last in any session. A run by hand most likely belongs to it. */
export async function latestTurn(files: Files, gitDir: string): Promise<TurnStamp | undefined> {
  const session =
    (await newestKey(files, gitDir, "turns")) ?? (await newestKey(files, gitDir, "sessions"));
  if (session === undefined) return undefined;
  const turn = await currentTurn(files, gitDir, session);
  return turn === undefined ? undefined : { session, turn };
}

/** Returns the number of failed stops of the turn that was checked last, in any session. */
export async function latestCount(files: Files, gitDir: string): Promise<number> {
  const session = await newestKey(files, gitDir, "sessions");
  const record = session === undefined ? undefined : await readRecord(files, gitDir, session);
  if (session === undefined || record === undefined) return 0;
  const started = await startedTurn(files, gitDir, session);
  return started === undefined || started === record.turn ? record.failed : 0;
}

/** Begins a new turn for callers without a session, after a `clean` by hand (G19). */
export async function beginAnonymousTurn(files: Files, gitDir: string): Promise<void> {
  const record = await readRecord(files, gitDir, NO_SESSION);
  if (record === undefined) return;
  const begun = { ...record, turn: randomUUID(), failed: 0, byLimit: false };
  await writeTurnFile(files, gitDir, "sessions", NO_SESSION, begun);
  if ((await startedTurn(files, gitDir, NO_SESSION)) === undefined) return;
  await writeTurnFile(files, gitDir, "turns", NO_SESSION, { id: begun.turn });
}

async function startedTurn(
  files: Pick<Files, "readFile">,
  gitDir: string,
  key: string
): Promise<string | undefined> {
  return text((await readTurnFile(files, gitDir, "turns", key))?.id);
}

async function readRecord(
  files: Pick<Files, "readFile">,
  gitDir: string,
  key: string
): Promise<SessionRecord | undefined> {
  const read = await readTurnFile(files, gitDir, "sessions", key);
  return read && recordOf(read);
}

function recordOf({ turn, failed, byLimit, hasOpenFailure, ...rest }: JsonObject): SessionRecord {
  const { shown, hasNamedUnstable } = rest;
  const isCount = typeof failed === "number" && Number.isSafeInteger(failed) && failed >= 0;
  return {
    turn: text(turn) ?? "",
    failed: isCount ? failed : 0,
    byLimit: byLimit === true,
    hasOpenFailure: hasOpenFailure === true,
    shown: Array.isArray(shown) ? shown.filter((hash) => typeof hash === "string") : [],
    hasNamedUnstable: hasNamedUnstable === true,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
