/**
 * Locks a log folder so that one run at a time uses it, and inspects that lock or waits for it (G17). The lock of a
 * process that has ended is taken over; one of another machine or container expires after an hour.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { err, ok, type Result } from "neverthrow";
import { monotonicMs } from "@/common/monotonicMs";
import { sha256 } from "@/common/hash";
import { objectOf, parseJson } from "@/common/json";
import { KIB } from "@/common/limits";
import { uniqueName } from "@/common/randomName";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import * as processes from "@/node/services/gauntlet/state/lock/processIdentity";

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
  private constructor(
    private readonly files: Files,
    /** Absolute. */
    readonly path: string,
    private readonly token: string,
    /** The dead lock that this one replaced. */
    readonly takenFrom?: LockEntry
  ) {}

  /**
   * Acquires the lock.
   *
   * @param logDir absolute; created if missing
   */
  static async acquire(
    files: LockFiles,
    logDir: string,
    identity: processes.ProcessIdentity,
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
      return attempt.map(({ token, takenFrom }) => new RunLock(files, path, token, takenFrom));
    }
    return failed({
      path,
      code: "EAGAIN",
      message: "the lock cannot be created or read; if it is a broken link, remove it",
    });
  }

  /** Removes the file if it still belongs to this run. A lock that cannot be removed is dead nevertheless. */
  async release(): Promise<Result<void, FileFailure>> {
    const read = await readText(this.files, this.path);
    const isOurs = read.map((text = "") => readOurs(text)?.token === this.token);
    const released = isOurs.unwrapOr(false)
      ? await this.files.remove(this.path)
      : isOurs.map(() => undefined);
    if (released.isErr()) abandon(this.token);
    return released;
  }
}

/** Returns whether a run could acquire the lock now, by the same criteria as `acquire`. Changes no file. */
export async function inspectLock(
  files: LockPlace,
  logDir: string,
  identity: processes.ProcessIdentity,
  now: Date
): Promise<LockState> {
  const walked = await followLockChain({ files, logDir, identity, now });
  if (walked.isErr()) return { kind: "failed", failure: walked.error };
  const { dead, holder } = walked.value;
  if (holder !== undefined) return { kind: "held", path: lockPath(logDir), holder };
  return { kind: dead.length === 0 ? "free" : "dead" };
}

type LockTaker = LockReader & { readonly files: LockFiles };

/** A further round is needed only if another run changed the locks during the one before. */
const MAX_ROUNDS = 100;
/** A time limit, because a round takes longer on another machine. */
const MAX_MS = 3_000;
/** The rounds that are made even after this time. */
const SURE_ROUNDS = 10;

interface Acquired {
  readonly token: string;
  readonly takenFrom?: LockEntry;
}

/** Undefined if the locks have changed since they were read, and must be read again. */
type Attempt = Result<Acquired, LockFailure> | undefined;

/** Creates a lock file. After a failure the file may exist nevertheless, if the connection was lost after the write. */
async function create({ files, identity, now }: LockTaker, path: string): Promise<Attempt> {
  const { startTime: start_time, ...owner } = identity;
  const token = uniqueName();
  const fields = { ...owner, start_time, token, since: now.toISOString() };
  const created = await files.createFile(path, `${JSON.stringify(fields)}\n`);
  if (created.isOk()) return ok({ token });
  const { error } = created;
  if (error.code !== "EEXIST") abandon(token);
  // Another run created the file, or removed a temporary one.
  if (error.code === "EEXIST" || isAbsent(error)) return undefined;
  return failed(error);
}

async function takeOver(reader: LockTaker, path: string): Promise<Attempt> {
  const { files } = reader;
  const walked = await followLockChain(reader);
  if (walked.isErr()) return failed(walked.error);
  const { holder, dead, next } = walked.value;
  if (holder !== undefined) return err({ kind: "held", path, holder });
  const [first] = dead;
  const claimed = first && (await create(reader, next));
  if (first === undefined || claimed === undefined || claimed.isErr()) return claimed;
  const { token } = claimed.value;
  const isUnchanged = await areUnchanged(files, dead);
  const renamed = isUnchanged ? await files.rename(next, path) : undefined;
  if (renamed?.isOk() === true) return ok({ token, takenFrom: first.entry });
  abandon(token);
  await files.remove(next);
  return renamed?.isErr() === true ? failed(renamed.error) : undefined;
}

/** Returns whether the dead locks are as before. Reads them again, after the claim was created. */
async function areUnchanged(files: Files, dead: LockChain["dead"]): Promise<boolean> {
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
  identity: processes.ProcessIdentity,
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
  identity: processes.ProcessIdentity,
  wait: LockWait
): Promise<Result<RunLock, LockFailure>> {
  for (;;) {
    const acquired = await RunLock.acquire(files, logDir, identity, wait.now());
    if (acquired.isOk() || acquired.error.kind !== "held") return acquired;
    const state = await waitUntilFree(files, logDir, identity, wait);
    if (state.kind === "held") return acquired;
  }
}

const LOCK_FILE = ".gauntlet-run.lock";

export function lockPath(logDir: string): string {
  return join(logDir, LOCK_FILE);
}

export interface LockEntry {
  /** Unique to this lock: 32 hexadecimal digits. */
  readonly token: string;
  /** The whole identity, only the ID of a process on the machine with the file, or an empty object. */
  readonly owner: Partial<processes.ProcessIdentity>;
  /** ISO 8601. */
  readonly since: string;
  readonly mtimeMs: number;
}

/** The file operations for reading a lock. */
export type LockReads = Pick<Files, "stat" | "readFile">;

/** Returns undefined if the file does not exist. */
async function readLock(
  files: LockReads,
  path: string
): Promise<Result<LockEntry | undefined, FileFailure>> {
  const read = await readText(files, path);
  if (read.isErr()) return err(read.error);
  const text = read.value;
  if (text === undefined) return ok(undefined);
  // Stat after reading: if the file is replaced in between, the lock looks younger than it is, never older.
  const [stat] = await files.stat([path]);
  if (stat === undefined || stat.kind === "missing") return ok(undefined);
  if (stat.kind === "failed") return err(stat.failure);
  const { mtimeMs, identity } = stat;
  const known = readOurs(text);
  if (known !== undefined) return ok({ ...known, mtimeMs });
  const pid = /^\d+$/.test(text.trim()) ? Number(text) : undefined;
  return ok({
    token: sha256(`${identity} ${mtimeMs} ${text}`, TOKEN_LENGTH),
    owner: isPid(pid) ? { pid } : {},
    since: new Date(mtimeMs).toISOString(),
    mtimeMs,
  });
}

async function readText(
  files: Pick<Files, "readFile">,
  path: string
): Promise<Result<string | undefined, FileFailure>> {
  const read = await files.readFile(path, { maxBytes: MAX_LOCK_BYTES });
  if (read.isErr()) return isAbsent(read.error) ? ok(undefined) : err(read.error);
  return ok(Buffer.from(read.value).toString("utf8"));
}

/** Describes a lock's owner and its time: `process 4711 on box, since 2026-01-25T16:00:00.000Z`. */
export function describeLock({ owner, since }: LockEntry): string {
  const { pid, host } = owner;
  const on = host === undefined ? "" : ` on ${host}`;
  return `${pid === undefined ? "an unknown program" : `process ${pid}${on}`}, since ${since}`;
}

export function isAbsent({ code }: FileFailure): boolean {
  return code === "ENOENT" || code === "ENOTDIR";
}

const MAX_LOCK_BYTES = 4 * KIB;
const TOKEN_LENGTH = 32;

function readOurs(text: string): Omit<LockEntry, "mtimeMs"> | undefined {
  const json = objectOf(parseJson(text).unwrapOr(undefined));
  const { pid, start_time: startTime, boot, host, namespace, token, since } = json;
  if (!isPid(pid) || typeof host !== "string") return undefined;
  if (typeof token !== "string" || !/^[0-9a-f]{32}$/.test(token)) return undefined;
  if (typeof since !== "string" || Number.isNaN(Date.parse(since))) return undefined;
  const owner = {
    ...{ pid, host },
    startTime: typeof startTime === "string" ? startTime : undefined,
    boot: typeof boot === "string" ? boot : undefined,
    namespace: typeof namespace === "string" ? namespace : undefined,
  };
  return { token, owner, since };
}

function isPid(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 0x7fffffff;
}

/**
 * Locks that this process released but could not remove, because their machine was unreachable. They name a running
 * process, so only this process knows that they are dead (G17).
 */
const abandoned = new Set<string>();

/** A host may run for months. The oldest locks were taken over or expired long ago. */
const MAX_TOKENS = 1_000;

function abandon(token: string): void {
  abandoned.add(token);
  for (const oldest of abandoned) {
    if (abandoned.size <= MAX_TOKENS) break;
    abandoned.delete(oldest);
  }
}

/** The machine with the locks, and the machine on which this program runs. */
export type LockPlace = LockReads & { readonly host: LockReads; readonly isRemote: boolean };

export interface LockReader {
  readonly files: LockPlace;
  /** Absolute. */
  readonly logDir: string;
  /** The process that reads the lock. */
  readonly identity: processes.ProcessIdentity;
  readonly now: Date;
}

/**
 * The dead locks, starting with the lock file. Each is taken over by the file named after its token, which may be dead
 * as well. `holder` is the owner of the last file. Without a holder, `next` is the path at which the lock can be
 * acquired.
 */
interface LockChain {
  readonly dead: readonly { readonly path: string; readonly entry: LockEntry }[];
  readonly holder?: LockEntry;
  readonly next: string;
}

async function followLockChain(reader: LockReader): Promise<Result<LockChain, FileFailure>> {
  const { files, logDir } = reader;
  const dead: LockChain["dead"][number][] = [];
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

/** A process of another machine or container cannot be proven dead, so its locks expire after this time. */
const UNPROVABLE_MS = 60 * 60_000;

async function isDead(entry: LockEntry, reader: LockReader): Promise<boolean> {
  if (abandoned.has(entry.token)) return true;
  const { files, identity, now } = reader;
  const { pid, startTime, boot, host, namespace } = entry.owner;
  const isOld = now.getTime() - entry.mtimeMs > UNPROVABLE_MS;
  if (pid === undefined) return isOld;
  if (host === undefined) {
    // A bare process ID belongs to the machine with the file.
    if (isOld || files.isRemote) return isOld;
    return (
      !(await processes.isRunning(files.host, pid)) ||
      (await processes.startedAfter(files.host, pid, entry.mtimeMs))
    );
  }
  if (host !== identity.host) return isOld;
  if (boot !== undefined && identity.boot !== undefined && boot !== identity.boot) return true;
  if (namespace !== undefined && namespace !== identity.namespace) return isOld;
  // A run writes its start time if the machine has one, so a lock without it is not of a run.
  if (startTime === undefined && identity.startTime !== undefined) return true;
  return !(await processes.isRunning(files.host, pid, startTime));
}
