/** Allows one run at a time in a log folder, regardless of the timing (G17). */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { err, ok, type Result } from "neverthrow";
import { monotonicMs } from "@/common/monotonicMs";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import {
  abandon,
  followLockChain,
  isAbsent,
  lockPath,
  newLock,
  readLock,
  readToken,
  type LockChain,
  type LockEntry,
  type LockPlace,
  type LockReader,
  type NewLock,
  type StaleLock,
} from "@/node/services/gauntlet/state/lock/lockFile";
import type { ProcessIdentity } from "@/node/services/gauntlet/state/lock/processIdentity";

/** The files of a machine on which locks can be created, such as a {@link HookRuntime}. */
export type LockFiles = Files & { readonly host: Files; readonly isRemote: boolean };

/** Why the lock was not acquired: another run is alive, or the file system refused it. */
export type LockFailure =
  | { readonly kind: "held"; readonly path: string; readonly holder: LockEntry }
  | { readonly kind: "failed"; readonly failure: FileFailure };

/** The state of the lock, read without changing it. A dead lock does not block a run. */
export type LockState = { readonly kind: "free" } | { readonly kind: "dead" } | LockFailure;

/**
 * The lock of a run. The file exists as long as the run, and is never partly written.
 *
 * To take over a dead lock, a run creates the file named after the lock's token, checks that each lock that it
 * considered dead is unchanged, and renames that file over the lock. Each content has its own token, so an
 * unchanged token means that the lock never changed in between. Only one run can create a file, so only one can be at
 * the end of an unchanged chain.
 */
export class RunLock {
  /** Absolute. */
  readonly path: string;
  /** The dead lock that this one replaced. */
  readonly takenFrom?: LockEntry;
  readonly #files: Files;
  readonly #token: string;

  private constructor(files: Files, path: string, { token, takenFrom }: Acquired) {
    this.#files = files;
    this.path = path;
    this.#token = token;
    if (takenFrom !== undefined) this.takenFrom = takenFrom;
  }

  /**
   * Acquires the lock.
   *
   * @param logDir absolute; created if missing
   */
  static async acquire(
    files: LockFiles,
    logDir: string,
    identity: ProcessIdentity,
    now: Date
  ): Promise<Result<RunLock, LockFailure>> {
    const reader = { files, logDir, identity, now };
    const path = lockPath(logDir);
    const begun = monotonicMs();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (round >= SURE_ROUNDS && monotonicMs() - begun > MAX_MS) break;
      // Run in parallel, which takes one round trip to another machine.
      const [created, listed] = await Promise.all([create(reader, path), files.list(logDir)]);
      if (listed.isErr() && listed.error.code === "ENOTDIR") return failed(listed.error);
      const attempt = created ?? (await takeOver(reader, path));
      if (attempt === undefined) continue;
      if (attempt.isOk()) await sweep(files, logDir, listed.unwrapOr([]));
      return attempt.map((acquired) => new RunLock(files, path, acquired));
    }
    return failed({
      path,
      code: "EAGAIN",
      message: "the lock cannot be created or read; if it is a broken link, remove it",
    });
  }

  /** Removes the file if it still belongs to this run. A lock that cannot be removed is dead nevertheless. */
  async release(): Promise<Result<void, FileFailure>> {
    const released = await this.#remove();
    if (released.isErr()) abandon(this.#token);
    return released;
  }

  async #remove(): Promise<Result<void, FileFailure>> {
    const found = await readToken(this.#files, this.path);
    if (found.isErr()) return err(found.error);
    return found.value === this.#token ? await this.#files.remove(this.path) : ok();
  }
}

/** Returns whether a run could acquire the lock now, by the same criteria as `acquire`. Changes no file. */
export async function inspectLock(
  files: LockPlace,
  logDir: string,
  identity: ProcessIdentity,
  now: Date
): Promise<LockState> {
  const walked = await followLockChain({ files, logDir, identity, now });
  if (walked.isErr()) return { kind: "failed", failure: walked.error };
  const { dead, holder } = walked.value;
  if (holder !== undefined) return { kind: "held", path: lockPath(logDir), holder };
  return { kind: dead.length === 0 ? "free" : "dead" };
}

interface LockTaker extends LockReader {
  readonly files: LockFiles;
}

/** A further round is needed only if another run changed the locks during the one before. */
const MAX_ROUNDS = 100;
/** A time limit, because a round takes longer on another machine. */
const MAX_MS = 3_000;
const SURE_ROUNDS = 10;

interface Acquired {
  readonly token: string;
  readonly takenFrom?: LockEntry;
}

/** Undefined if the locks have changed since they were read, and must be read again. */
type Attempt = Result<Acquired, LockFailure> | undefined;

async function create({ files, identity, now }: LockTaker, path: string): Promise<Attempt> {
  const lock = newLock(identity, now);
  const created = await make(files, path, lock);
  return created.isOk() ? ok({ token: lock.token }) : unlessTaken(created.error);
}

/** Creates a lock file. After a failure the file may exist nevertheless, if the connection was lost after the write. */
async function make(
  files: Files,
  path: string,
  { token, text }: NewLock
): Promise<Result<void, FileFailure>> {
  const created = await files.createFile(path, text);
  if (created.isErr() && created.error.code !== "EEXIST") abandon(token);
  return created;
}

async function takeOver(reader: LockTaker, path: string): Promise<Attempt> {
  const walked = await followLockChain(reader);
  if (walked.isErr()) return failed(walked.error);
  const { holder, dead } = walked.value;
  if (holder !== undefined) return err({ kind: "held", path, holder });
  return dead[0] === undefined ? undefined : await claim(reader, path, walked.value, dead[0].entry);
}

async function claim(
  { files, identity, now }: LockTaker,
  path: string,
  { dead, next }: LockChain,
  takenFrom: LockEntry
): Promise<Attempt> {
  const lock = newLock(identity, now);
  const { token } = lock;
  const created = await make(files, next, lock);
  if (created.isErr()) return unlessTaken(created.error);
  if (!(await areUnchanged(files, dead))) {
    await giveUp(files, next, token);
    return undefined;
  }
  const renamed = await files.rename(next, path);
  if (renamed.isOk()) return ok({ token, takenFrom });
  await giveUp(files, next, token);
  return failed(renamed.error);
}

async function giveUp(files: Files, claim: string, token: string): Promise<void> {
  abandon(token);
  await files.remove(claim);
}

/** Reads the locks again, after the claim was created. */
async function areUnchanged(files: Files, dead: readonly StaleLock[]): Promise<boolean> {
  for (const { path, entry } of dead) {
    const found = await readLock(files, path);
    if (found.isErr() || found.value?.token !== entry.token) return false;
  }
  return true;
}

/** Removes all claims and temporary files beside the lock. No claim can succeed while the caller holds the lock. */
async function sweep(files: Files, logDir: string, names: readonly string[]): Promise<void> {
  const litter = names.filter((name) => LITTER.test(name));
  await Promise.all(litter.map((name) => files.remove(join(logDir, name))));
}

const LITTER = /^\.gauntlet-run\.lock\.(after-[0-9a-f]{32}(\.[0-9a-f]{16})?|[0-9a-f]{16})$/;

/** Returns undefined if another run created the file, or removed a temporary one. */
function unlessTaken(failure: FileFailure): Attempt {
  return failure.code === "EEXIST" || isAbsent(failure) ? undefined : failed(failure);
}

function failed(failure: FileFailure): Result<never, LockFailure> {
  return err({ kind: "failed", failure });
}

/** A look at the lock reads one small file and the process table, which takes less than a millisecond. */
const POLL_MS = 200;
/** Each look is a round trip. */
const REMOTE_POLL_MS = 2_000;

export interface LockWait {
  /** When to give up, by `performance.now()`. */
  readonly until: number;
  /** Ends the wait at once. */
  readonly signal?: AbortSignal | undefined;
  readonly now: () => Date;
}

/** Resolves when a run could get the lock, or with the state `held` at the end of the wait. Changes no file. */
export async function waitUntilFree(
  files: LockFiles,
  logDir: string,
  identity: ProcessIdentity,
  { until, signal, now }: LockWait
): Promise<LockState> {
  for (;;) {
    const state = await inspectLock(files, logDir, identity, now());
    const left = until - performance.now();
    if (state.kind !== "held" || left <= 0 || signal?.aborted === true) return state;
    const pause = Math.min(left, files.isRemote ? REMOTE_POLL_MS : POLL_MS);
    await delay(pause, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}

/** Like `RunLock.acquire`, but waits for a lock that is held. */
export async function acquireInTime(
  files: LockFiles,
  logDir: string,
  identity: ProcessIdentity,
  wait: LockWait
): Promise<Result<RunLock, LockFailure>> {
  for (;;) {
    const acquired = await RunLock.acquire(files, logDir, identity, wait.now());
    if (acquired.isOk() || acquired.error.kind !== "held") return acquired;
    const state = await waitUntilFree(files, logDir, identity, wait);
    if (state.kind === "held") return acquired;
  }
}
