/** The failed stops of one user's turn in one session (G19, G27a). */
import { err, type Result } from "neverthrow";
import { definedOnly } from "@/common/definedOnly";
import { clip } from "@/common/text";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import {
  readRecord,
  startedTurn,
  type FailedTree,
  type SessionRecord,
} from "@/node/services/gauntlet/turn/sessionRecord";
import {
  hashKey,
  newestKey,
  turnPath,
  NO_SESSION,
  sessionKey,
  writeTurnFile,
} from "@/node/services/gauntlet/turn/turnFiles";
import type { SettledPoint } from "@/node/services/gauntlet/turn/workPoint";

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
  /** Whether a stop of this turn failed, also before a pass (G20a). */
  readonly hasFailed?: boolean;
  /** Whether the previous stop failed only because of the time limit (G27c). */
  readonly byLimit: boolean;
  /** The last failed stop of the session (G38). */
  readonly failedTree?: FailedTree;
  /** Whether the agent may stop after failures on an unchanged tree (G19). */
  readonly mayRelease?: boolean;
}

const MAX_SHOWN = 200;
const MAX_NOTES = 50;
const MAX_NOTE_CHARS = 1_000;
const MAX_BACKGROUND = 200;
/** More jobs that passed are not recorded, and run again. */
const MAX_PASSED = 500;
/** Stops of a user's turn that background agents may postpone (G39). */
const MAX_POSTPONED = 2;

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
    const turn = known ?? (begins ? crypto.randomUUID() : (before?.turn ?? crypto.randomUUID()));
    const record = { ...(before ?? NEW_RECORD), turn };
    if (before?.turn === turn) return new StopSession(files, gitDir, key, record);
    const fresh = { ...record, failed: 0, byLimit: false, postponed: 0 };
    return new StopSession(files, gitDir, key, fresh);
  }

  private constructor(
    private readonly files: Files,
    private readonly gitDir: string | undefined,
    private readonly key: string,
    private record: SessionRecord
  ) {}

  get count(): StopCount {
    const { turn, failed, byLimit, failedTree, failedIn } = this.record;
    const hasFailed = failedIn === turn;
    return { session: this.key, turn, failed, hasFailed, byLimit, ...definedOnly({ failedTree }) };
  }

  /** Returns whether the last checked stop of the session failed, in this turn or an earlier one. */
  get hasOpenFailure(): boolean {
    return this.record.hasOpenFailure;
  }

  /** Returns whether a stop was postponed, and no stop was checked since (G39). */
  get isUnverified(): boolean {
    return this.record.isUnverified;
  }

  /** Counts a failed stop. A stop that cannot be counted must not block (G19). */
  async countFailure({ byLimit, failedTree, isHeld }: Failure): Promise<Result<void, FileFailure>> {
    const { failed, failedTree: _, ...rest } = this.record;
    this.record = {
      ...{
        ...rest,
        failedIn: rest.turn,
        failed: failed + 1,
        byLimit,
        hasOpenFailure: true,
        isUnverified: false,
        isHeld,
      },
      ...(failedTree && {
        failedTree: { ...failedTree, passed: failedTree.passed.slice(0, MAX_PASSED) },
      }),
    };
    return await this.#save();
  }

  async countPass(): Promise<void> {
    const { failed, byLimit, hasOpenFailure, failedTree, ...rest } = this.record;
    const isClean = failed === 0 && !byLimit && !hasOpenFailure && failedTree === undefined;
    if (isClean) return;
    this.record = { ...rest, failed: 0, byLimit: false, hasOpenFailure: false, isHeld: false };
    await this.#save();
  }

  /** Records that the changes were checked, after a postponed stop. */
  async noteChecked(): Promise<void> {
    if (!this.record.isUnverified) return;
    this.record = { ...this.record, isUnverified: false };
    await this.#save();
  }

  /**
   * Records the agents that run in the background. Returns whether they postpone this stop: one of them did not run at the
   * last stop, few stops of the turn were postponed, and there is something to check (G39). A stop that cannot be recorded
   * is not postponed.
   */
  async postpone(ids: readonly string[], isIdle: () => Promise<boolean>): Promise<boolean> {
    const hashes = ids.slice(0, MAX_BACKGROUND).map(shortHash);
    const { background, postponed } = this.record;
    const hasNew = hashes.some((hash) => !background.includes(hash));
    if (!hasNew && hashes.length === background.length) return false;
    const waits = hasNew && postponed < MAX_POSTPONED && !(await isIdle());
    this.record = {
      ...{ ...this.record, background: hashes },
      ...(waits ? { postponed: postponed + 1, isUnverified: true } : {}),
    };
    const saved = await this.#save();
    return waits && saved.isOk();
  }

  /** Returns whether a call that began at `startedAt` is for a stop that another call has answered since (G40). */
  wasAnswered(stop: string, startedAt: number): boolean {
    const { answered } = this.record;
    return answered?.stop === stop && answered.at >= startedAt;
  }

  async noteAnswer(stop: string, at: number, reason?: string): Promise<void> {
    this.record = { ...this.record, answered: { stop, at, reason } };
    await this.#save();
  }

  /** Returns the reason of the last answer, which a call for a stop with an ID repeats (G40). */
  reasonFor(stopId: string | undefined): string | undefined {
    return stopId === undefined ? undefined : this.record.answered?.reason;
  }

  /** Returns the last stop that settled the changes before it (G20a). */
  get settled(): SettledPoint | undefined {
    return this.record.settled;
  }

  async settle(settled: SettledPoint): Promise<void> {
    this.record = { ...this.record, settled };
    await this.#save();
  }

  /** Records the turn, so that later stops belong to it. */
  async noteTurn(): Promise<void> {
    await this.#save();
  }

  /**
   * Returns the facts that the user was not shown yet, and records those that apply now.
   *
   * @param isWhole whether these are all facts that apply, so that others no longer do
   */
  async newFacts(facts: readonly string[], { isWhole = true } = {}): Promise<readonly string[]> {
    const hashes = [...new Set(facts.map(shortHash))];
    const { shown, notes } = this.record;
    const news = facts.filter((fact) => !shown.includes(shortHash(fact)));
    const isSame = news.length === 0 && (!isWhole || shown.length === hashes.length);
    if (isSame) return [];
    const kept = isWhole ? [] : shown.filter((hash) => !hashes.includes(hash));
    const all = isWhole ? facts : [...notes, ...news];
    this.record = {
      ...this.record,
      shown: [...kept, ...hashes].slice(-MAX_SHOWN),
      notes: all.slice(-MAX_NOTES).map((fact) => clip(fact, MAX_NOTE_CHARS)),
    };
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

  /** Returns true once per turn for the same causes (G27c, G33). */
  async mayNameCauses(causes: readonly string[]): Promise<boolean> {
    const limitNamed = shortHash([this.record.turn, ...causes].join("\0"));
    if (this.record.limitNamed === limitNamed) return false;
    this.record = { ...this.record, limitNamed };
    await this.#save();
    return true;
  }

  async #save(): Promise<Result<void, FileFailure>> {
    if (this.gitDir === undefined) {
      return err({ path: ".git", code: "ENOENT", message: "there is no .git folder" });
    }
    return await writeTurnFile(this.files, this.gitDir, "sessions", this.key, { ...this.record });
  }
}

const NEW_RECORD: SessionRecord = {
  turn: "",
  failed: 0,
  byLimit: false,
  hasOpenFailure: false,
  isHeld: false,
  shown: [],
  notes: [],
  hasNamedUnstable: false,
  background: [],
  postponed: 0,
  isUnverified: false,
};

interface Failure {
  readonly byLimit: boolean;
  /** Whether the agent is sent back. */
  readonly isHeld: boolean;
  /** Absent if the gates did not run. */
  readonly failedTree?: FailedTree;
}

function shortHash(text: string): string {
  return hashKey(text).slice(0, 12);
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

async function sessionKeys(files: Files, gitDir: string): Promise<string[]> {
  const names = (await files.list(turnPath(gitDir, "sessions"))).unwrapOr([]);
  return names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
}

/** Returns the record of the session that stopped last. */
export async function latestRecord(
  files: Files,
  gitDir: string
): Promise<SessionRecord | undefined> {
  const session = await newestKey(files, gitDir, "sessions");
  return session === undefined ? undefined : await readRecord(files, gitDir, session);
}

/** Resets the count of every session after a `clean` by hand. Callers without a session begin a turn (G19). */
export async function startOver(files: Files, gitDir: string): Promise<void> {
  for (const key of await sessionKeys(files, gitDir)) {
    const record = await readRecord(files, gitDir, key);
    if (key === NO_SESSION || record === undefined || record.failed === 0) continue;
    const reset = { ...record, failed: 0, byLimit: false };
    await writeTurnFile(files, gitDir, "sessions", key, reset);
  }
  const record = await readRecord(files, gitDir, NO_SESSION);
  if (record === undefined) return;
  const begun = { ...record, turn: crypto.randomUUID(), failed: 0, byLimit: false };
  await writeTurnFile(files, gitDir, "sessions", NO_SESSION, begun);
  if ((await startedTurn(files, gitDir, NO_SESSION)) === undefined) return;
  await writeTurnFile(files, gitDir, "turns", NO_SESSION, { id: begun.turn });
}
