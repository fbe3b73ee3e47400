/** One run at a time in a log folder, whatever the timing (G17). */
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { abandon } from "@/node/services/gauntlet/state/lock/abandonedLocks";
import {
  isAbsent,
  lockPath,
  newLock,
  readLock,
  readToken,
  type LockEntry,
  type NewLock,
} from "@/node/services/gauntlet/state/lock/lockFile";
import {
  followLockChain,
  type StaleLock,
  type LockChain,
  type LockPlace,
  type LockReader,
} from "@/node/services/gauntlet/state/lock/staleLocks";
import type { ProcessIdentity } from "@/node/services/gauntlet/state/lock/processIdentity";

/** A place where locks can be made: a {@link Runtime} is one. */
export type LockFiles = Files & { readonly host: Files; readonly isRemote: boolean };

/** Why there is no lock: another run is alive, or the file system would not have it. */
export type LockFailure =
  | { readonly kind: "held"; readonly path: string; readonly holder: LockEntry }
  | { readonly kind: "failed"; readonly failure: FileFailure };

/** What a look at the lock shows, without touching it. A dead one is in nobody's way. */
export type LockState = { readonly kind: "free" } | { readonly kind: "dead" } | LockFailure;

/**
 * The lock of a run. The file is there as long as the run is, and never half written.
 *
 * A dead lock is taken over by whoever makes the file named after its token, finds that nothing that it believed dead
 * has changed since, and renames that file over the lock. As each content has a token of its own, what is still the
 * same was so all the time; and as only one can make a file, only one can be at the end of an unchanged chain.
 */
export class RunLock {
  /** Absolute. */
  readonly path: string;
  /** The dead lock whose place this one took. */
  readonly takenFrom?: LockEntry;
  readonly #files: Files;
  readonly #token: string;

  private constructor(files: Files, path: string, { token, takenFrom }: Acquired) {
    this.#files = files;
    this.path = path;
    this.#token = token;
    if (takenFrom !== undefined) this.takenFrom = takenFrom;
  }

  /** @param logDir absolute; made where it lacks */
  static async acquire(
    files: LockFiles,
    logDir: string,
    identity: ProcessIdentity,
    now: Date
  ): Promise<Result<RunLock, LockFailure>> {
    const reader = { files, logDir, identity, now };
    const path = lockPath(logDir);
    const begun = performance.now();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (round >= SURE_ROUNDS && performance.now() - begun > MAX_MS) break;
      // Asked at once: on another machine that is one round trip.
      const [created, listed] = await Promise.all([create(reader, path), files.list(logDir)]);
      if (listed.isErr() && listed.error.code === "ENOTDIR") return failed(listed.error);
      const attempt = created ?? (await takeOver(reader, path));
      if (attempt === undefined) continue;
      if (attempt.isOk()) await sweep(files, logDir, listed.unwrapOr([]));
      return attempt.map((acquired) => new RunLock(files, path, acquired));
    }
    const message = `cannot be made and cannot be read; where it is a broken link, remove it: ${path}`;
    return failed({ path, code: "EAGAIN", message });
  }

  /** Removes the file, where it is still this run's. One that cannot be removed is dead all the same. */
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

/** Whether a run could have the lock now, by the same proof. Touches nothing. */
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

/** Each further round means that somebody else got on in the one before. */
const MAX_ROUNDS = 100;
/** On another machine a round takes its time. */
const MAX_MS = 3_000;
const SURE_ROUNDS = 10;

interface Acquired {
  readonly token: string;
  readonly takenFrom?: LockEntry;
}

/** Nothing: what was found has changed since, and has to be looked at again. */
type Attempt = Result<Acquired, LockFailure> | undefined;

async function create({ files, identity, now }: LockTaker, path: string): Promise<Attempt> {
  const lock = newLock(identity, now);
  const created = await make(files, path, lock);
  return created.isOk() ? ok({ token: lock.token }) : unlessTaken(created.error);
}

/** Of a failure nobody knows whether the file was made before the connection was lost. */
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

/** Read again, after the claim was made. */
async function areUnchanged(files: Files, dead: readonly StaleLock[]): Promise<boolean> {
  for (const { path, entry } of dead) {
    const found = await readLock(files, path);
    if (found.isErr() || found.value?.token !== entry.token) return false;
  }
  return true;
}

/** Whoever has the lock may remove every claim and temporary file beside it: no claim can come true while it lives. */
async function sweep(files: Files, logDir: string, names: readonly string[]): Promise<void> {
  const litter = names.filter((name) => LITTER.test(name));
  await Promise.all(litter.map((name) => files.remove(join(logDir, name))));
}

const LITTER = /^\.gauntlet-run\.lock\.(after-[0-9a-f]{32}(\.[0-9a-f]{16})?|[0-9a-f]{16})$/;

/** A file that somebody else has made, or a temporary one that somebody else swept away. */
function unlessTaken(failure: FileFailure): Attempt {
  return failure.code === "EEXIST" || isAbsent(failure) ? undefined : failed(failure);
}

function failed(failure: FileFailure): Result<never, LockFailure> {
  return err({ kind: "failed", failure });
}
