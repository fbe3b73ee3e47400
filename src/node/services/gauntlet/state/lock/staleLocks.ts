/** Whether a lock proves itself dead, and who stands in the way where it does not (G17). */
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
  type ProcessIdentity,
} from "@/node/services/gauntlet/state/lock/processIdentity";

/** Where locks lie, and the machine that this program runs on. */
export type LockPlace = LockReads & { readonly host: LockReads; readonly isRemote: boolean };

export interface LockReader {
  readonly files: LockPlace;
  /** Absolute. */
  readonly logDir: string;
  /** Who asks. */
  readonly identity: ProcessIdentity;
  readonly now: Date;
}

/** A file whose owner is proved to be gone. */
export interface StaleLock {
  readonly path: string;
  readonly entry: LockEntry;
}

/**
 * The dead locks from the lock file on: each is taken over by the file named after its token, which may be dead in
 * turn. Then who holds the last of these, or, where nobody does, the path at which it may be had.
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
  const message = `${MAX_CHAIN} dead locks follow one another; remove ${path}*`;
  return err({ path, code: "ELOOP", message });
}

/** Takers that died one after the other in the instant of taking: more than a few are somebody's doing. */
const MAX_CHAIN = 32;

/** Of another machine nothing can be proved, so its locks are given this long. */
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
      // A bare number is of the machine that the file lies on.
      return files.isRemote ? isOld : !(await isRunning(files.host, owner.pid));
    case "process": {
      const { pid, startTime, boot, host } = owner.process;
      if (host !== identity.host) return isOld;
      if (boot !== undefined && identity.boot !== undefined && boot !== identity.boot) return true;
      return !(await isRunning(files.host, pid, startTime));
    }
  }
}
