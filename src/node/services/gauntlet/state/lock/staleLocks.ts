/** Determines whether a lock is provably dead, or else who holds it (G17). */
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { FileFailure } from "@/node/runtime/HookRuntime";
import {
  LOCK_FILE,
  readLock,
  type LockEntry,
  type LockReads,
} from "@/node/services/gauntlet/state/lock/lockFile";
import { isAbandoned } from "@/node/services/gauntlet/state/lock/abandonedLocks";
import {
  isRunning,
  startedAfter,
  type ProcessIdentity,
} from "@/node/services/gauntlet/state/lock/processIdentity";

/** The machine with the locks, and the machine on which this program runs. */
export type LockPlace = LockReads & { readonly host: LockReads; readonly isRemote: boolean };

export interface LockReader {
  readonly files: LockPlace;
  /** Absolute. */
  readonly logDir: string;
  /** The process that reads the lock. */
  readonly identity: ProcessIdentity;
  readonly now: Date;
}

/** A file whose owner is proven to be gone. */
export interface StaleLock {
  readonly path: string;
  readonly entry: LockEntry;
}

/**
 * The dead locks, starting with the lock file. Each is taken over by the file named after its token, which may be dead
 * as well. `holder` is the owner of the last file. Without a holder, `next` is the path at which the lock can be
 * acquired.
 */
export interface LockChain {
  readonly dead: readonly StaleLock[];
  readonly holder?: LockEntry;
  readonly next: string;
}

export async function followLockChain(reader: LockReader): Promise<Result<LockChain, FileFailure>> {
  const { files, logDir } = reader;
  const dead: StaleLock[] = [];
  for (let next = join(logDir, LOCK_FILE); dead.length < MAX_CHAIN;) {
    const read = await readLock(files, next);
    if (read.isErr()) return err(read.error);
    const entry = read.value;
    if (entry === undefined) return ok({ dead, next });
    if (!(await isDead(entry, reader))) return ok({ dead, holder: entry, next });
    dead.push({ path: next, entry });
    next = join(logDir, `${LOCK_FILE}.after-${entry.token}`);
  }
  const path = join(logDir, LOCK_FILE);
  return err({
    path,
    code: "ELOOP",
    message: `found ${MAX_CHAIN} locks of runs that no longer exist; if no run is in progress, remove the files ${path}*`,
  });
}

/** Processes that died one after the other while they took over the lock. More than a few are not a coincidence. */
const MAX_CHAIN = 32;

/** A process of another machine cannot be proven dead, so its locks expire after this time. */
const UNPROVABLE_MS = 60 * 60_000;

async function isDead(entry: LockEntry, reader: LockReader): Promise<boolean> {
  if (isAbandoned(entry.token)) return true;
  const { files, identity, now } = reader;
  const { owner } = entry;
  const isOld = now.getTime() - entry.mtimeMs > UNPROVABLE_MS;
  switch (owner.kind) {
    case "unknown":
      return isOld;
    case "number":
      // A bare process ID belongs to the machine with the file.
      if (isOld || files.isRemote) return isOld;
      return (
        !(await isRunning(files.host, owner.pid)) ||
        (await startedAfter(files.host, owner.pid, entry.mtimeMs))
      );
    case "process": {
      const { pid, startTime, boot, host } = owner.process;
      if (host !== identity.host) return isOld;
      if (boot !== undefined && identity.boot !== undefined && boot !== identity.boot) return true;
      // A run writes its start time if the machine has one, so a lock without it is not of a run.
      if (startTime === undefined && identity.startTime !== undefined) return true;
      return !(await isRunning(files.host, pid, startTime));
    }
  }
}
