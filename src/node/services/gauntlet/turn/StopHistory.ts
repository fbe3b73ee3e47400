/**
 * Keeps the record of an agent's session for its stops: determines the user's turn of a stop, counts the turn's failed
 * stops (G19) with the checks that the last one passed, determines whether agents in the background postpone a stop
 * (G39), and remembers what the user was shown (G25a). Also finds the turn to which a run by hand belongs.
 */
import { err, type Result } from "neverthrow";
import { clip } from "@/common/safeText";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import * as turns from "@/node/services/gauntlet/turn/TurnStore";

/** The user's turn to which an event belongs. */
export interface TurnStamp {
  readonly session: string;
  readonly turn: string;
}

export interface StopIdentity {
  /** The agent host's session, by which failed stops are counted (G19). Callers without one share a count. */
  readonly sessionId?: string;
  /** The user's turn, if the caller knows it (G27a). */
  readonly turnId?: string;
  /** Whether `stop_hook_active: false` from this caller means that a new user turn began (G27a). */
  readonly beginsTurn: boolean;
  /** Whether the agent already continues because of a stop hook. */
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
  readonly failedTree?: turns.FailedTree;
  /** Whether the agent may stop after failures on an unchanged tree (G19). */
  readonly mayRelease?: boolean;
}

const MAX_SHOWN = 200;
const MAX_NOTES = 50;
const MAX_NOTE_CHARS = 1_000;
const MAX_BACKGROUND = 200;
/** The jobs that passed beyond this number are not recorded, and run again. */
const MAX_PASSED = 500;
/** Stops of a user's turn that background agents may postpone (G39). */
const MAX_POSTPONED = 2;

/** The record of an agent's session, for one stop. */
export class StopHistory {
  static async open(
    files: Files,
    gitDir: string | undefined,
    identity: StopIdentity
  ): Promise<StopHistory> {
    const key = turns.sessionKey(identity.sessionId);
    const store = gitDir === undefined ? undefined : new turns.TurnStore(files, gitDir);
    const before = await store?.read("sessions", key);
    const started = (await store?.read("turns", key))?.id;
    const known = started ?? (identity.turnId === undefined ? undefined : `id ${identity.turnId}`);
    const begins = identity.beginsTurn && !identity.stopHookActive;
    const turn = known ?? (begins ? crypto.randomUUID() : (before?.turn ?? crypto.randomUUID()));
    const record = { ...(before ?? turns.NEW_SESSION), turn };
    const fresh = before?.turn === turn ? {} : { failed: 0, byLimit: false, postponed: 0 };
    return new StopHistory(store, key, { ...record, ...fresh });
  }

  private constructor(
    private readonly store: turns.TurnStore | undefined,
    private readonly key: string,
    private current: turns.SessionRecord
  ) {}

  get record(): turns.SessionRecord {
    return this.current;
  }

  get count(): StopCount {
    const { turn, failed, byLimit, failedTree, failedIn } = this.current;
    return { session: this.key, turn, failed, hasFailed: failedIn === turn, byLimit, failedTree };
  }

  /** Records a change, and the turn, so that later stops belong to it. */
  async update(change: Partial<turns.SessionRecord>): Promise<Result<void, FileFailure>> {
    this.current = { ...this.current, ...change };
    if (this.store === undefined) {
      return err({ path: ".git", code: "ENOENT", message: "there is no .git folder" });
    }
    if (this.store.lost !== undefined) return err(this.store.lost);
    return await this.store.write("sessions", this.key, this.current);
  }

  /**
   * Counts a failed stop. A stop that cannot be counted must not block (G19).
   *
   * @param failure `isHeld`: whether the agent is sent back; `failedTree` is absent if the gates did not run
   */
  async countFailure(
    failure: Pick<turns.SessionRecord, "byLimit" | "isHeld" | "failedTree">
  ): Promise<Result<void, FileFailure>> {
    const { turn, failed } = this.current;
    const { failedTree: tree, byLimit, isHeld } = failure;
    const failedTree = tree && { ...tree, passed: tree.passed.slice(0, MAX_PASSED) };
    return await this.update({
      ...{ byLimit, isHeld, failedTree, failedIn: turn, failed: failed + 1 },
      ...{ hasOpenFailure: true, isUnverified: false },
    });
  }

  async countPass(): Promise<void> {
    const { failed, byLimit, hasOpenFailure, failedTree, isUnverified } = this.current;
    const isClean = failed === 0 && !byLimit && !hasOpenFailure && !isUnverified;
    if (isClean && failedTree === undefined) return;
    const passed = { failed: 0, byLimit: false, hasOpenFailure: false, isHeld: false };
    await this.update({ ...passed, failedTree: undefined, isUnverified: false });
  }

  /** Records that the changes were checked, after a postponed stop. */
  async noteChecked(): Promise<void> {
    if (this.current.isUnverified) await this.update({ isUnverified: false });
  }

  /**
   * Records the agents that run in the background. Returns whether they postpone this stop: one of them did not run at
   * the last stop, few stops of the turn were postponed, and there is something to check (G39). A stop that cannot be
   * recorded is not postponed.
   */
  async postpone(ids: readonly string[], isIdle: () => Promise<boolean>): Promise<boolean> {
    const hashes = ids.slice(0, MAX_BACKGROUND).map(shortHash);
    const { background, postponed } = this.current;
    const hasNew = hashes.some((hash) => !background.includes(hash));
    if (!hasNew && hashes.length === background.length) return false;
    const waits = hasNew && postponed < MAX_POSTPONED && !(await isIdle());
    const counted = waits ? { postponed: postponed + 1, isUnverified: true } : {};
    const saved = await this.update({ background: hashes, ...counted });
    return waits && saved.isOk();
  }

  /**
   * Returns the facts that the user was not shown yet, and records those that apply now.
   *
   * @param isWhole whether these are all facts that apply, so that others no longer do
   */
  async newFacts(facts: readonly string[], isWhole: boolean): Promise<readonly string[]> {
    const hashes = [...new Set(facts.map(shortHash))];
    const { shown, notes } = this.current;
    const news = facts.filter((fact) => !shown.includes(shortHash(fact)));
    const isSame = news.length === 0 && (!isWhole || shown.length === hashes.length);
    if (isSame) return [];
    const kept = isWhole ? [] : shown.filter((hash) => !hashes.includes(hash));
    const all = isWhole ? facts : [...notes, ...news];
    await this.update({
      shown: [...kept, ...hashes].slice(-MAX_SHOWN),
      notes: all.slice(-MAX_NOTES).map((fact) => clip(fact, MAX_NOTE_CHARS)),
    });
    return news;
  }

  /** Returns true once per turn for the same causes (G27c, G33). */
  async mayNameCauses(causes: readonly string[]): Promise<boolean> {
    const limitNamed = shortHash([this.current.turn, ...causes].join("\0"));
    if (this.current.limitNamed === limitNamed) return false;
    await this.update({ limitNamed });
    return true;
  }
}

function shortHash(text: string): string {
  return turns.hashKey(text).slice(0, 12);
}

/** Returns whether a failure was recorded in this turn. False if one of them is unknown. */
export function isOfTurn<T extends TurnStamp>(failure?: T, turn?: TurnStamp): failure is T {
  return turn !== undefined && failure?.session === turn.session && failure.turn === turn.turn;
}

/** Returns the current turn of a session, or undefined if it is unknown. */
export async function currentTurn(
  store: turns.TurnStore,
  session: string
): Promise<string | undefined> {
  return (await store.read("turns", session))?.id ?? (await store.read("sessions", session))?.turn;
}

/**
 * Returns the turn that began last in any session, or was stopped last if its beginning is not recorded. A run by hand
 * most likely belongs to it.
 */
export async function latestTurn(store: turns.TurnStore): Promise<TurnStamp | undefined> {
  const [session] = await store.keys("turns", "sessions");
  const turn = session && (await currentTurn(store, session));
  return session === undefined || turn === undefined ? undefined : { session, turn };
}

/** Returns the number of failed stops of the turn that was checked last, in any session. */
export async function latestCount(store: turns.TurnStore): Promise<number> {
  const [session = ""] = await store.keys("sessions");
  const { turn = "", failed = 0 } = (await store.read("sessions", session)) ?? {};
  return ((await store.read("turns", session))?.id ?? turn) === turn ? failed : 0;
}

/** Resets the count of every session after a `clean` by hand. Callers without a session begin a turn (G19). */
export async function startOver(store: turns.TurnStore): Promise<void> {
  for (const key of await store.keys("sessions")) {
    const record = await store.read("sessions", key);
    if (record === undefined || (key !== turns.NO_SESSION && record.failed === 0)) continue;
    const turn = key === turns.NO_SESSION ? crypto.randomUUID() : record.turn;
    await store.write("sessions", key, { ...record, turn, failed: 0, byLimit: false });
    const begins = key === turns.NO_SESSION && (await store.read("turns", key))?.id !== undefined;
    if (begins) await store.write("turns", key, { id: turn });
  }
}
