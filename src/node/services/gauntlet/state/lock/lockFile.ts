/** Reads lock files: ours, the existing tool's bare process ID, or an unknown format. Finds those that are provably dead (G17). */
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { sha256 } from "@/common/hash";
import { isJsonObject, parseJson } from "@/common/json";
import { KIB } from "@/common/limits";
import { uniqueName } from "@/common/uniqueName";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import {
  isRunning,
  startedAfter,
  type ProcessIdentity,
} from "@/node/services/gauntlet/state/lock/processIdentity";

const LOCK_FILE = ".gauntlet-run.lock";

export function lockPath(logDir: string): string {
  return join(logDir, LOCK_FILE);
}

export interface LockEntry {
  /** Unique to this lock: 32 hexadecimal digits. */
  readonly token: string;
  /** What the file names: the whole identity, the ID of a process on the machine with the file, or nothing. */
  readonly owner: Partial<ProcessIdentity>;
  /** ISO 8601. */
  readonly since: string;
  readonly mtimeMs: number;
}

export interface NewLock {
  readonly token: string;
  readonly text: string;
}

export function newLock({ pid, startTime, boot, host }: ProcessIdentity, now: Date): NewLock {
  const token = uniqueName();
  const fields = { pid, start_time: startTime, boot, host, token, since: now.toISOString() };
  return { token, text: `${JSON.stringify(fields)}\n` };
}

/** The file operations for reading a lock. */
export type LockReads = Pick<Files, "stat" | "readFile">;

/** Returns undefined if the file does not exist. */
export async function readLock(
  files: LockReads,
  path: string
): Promise<Result<LockEntry | undefined, FileFailure>> {
  const read = await files.readFile(path, { maxBytes: MAX_LOCK_BYTES });
  if (read.isErr()) return isAbsent(read.error) ? ok(undefined) : err(read.error);
  // Stat after reading: if the file is replaced in between, the lock looks younger than it is, never older.
  const [stat] = await files.stat([path]);
  if (stat === undefined || stat.kind === "missing") return ok(undefined);
  if (stat.kind === "failed") return err(stat.failure);
  const { mtimeMs, identity } = stat;
  const text = Buffer.from(read.value).toString("utf8");
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

/** Returns the token of our lock, or undefined if there is no lock, or another program's. */
export async function readToken(
  files: Pick<Files, "readFile">,
  path: string
): Promise<Result<string | undefined, FileFailure>> {
  const read = await files.readFile(path, { maxBytes: MAX_LOCK_BYTES });
  if (read.isErr()) return isAbsent(read.error) ? ok(undefined) : err(read.error);
  return ok(readOurs(Buffer.from(read.value).toString("utf8"))?.token);
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
  const json = parseJson(text).unwrapOr(undefined);
  if (!isJsonObject(json)) return undefined;
  const { pid, start_time: startTime, boot, host, token, since } = json;
  if (!isPid(pid) || typeof host !== "string") return undefined;
  if (typeof token !== "string" || !/^[0-9a-f]{32}$/.test(token)) return undefined;
  if (typeof since !== "string" || Number.isNaN(Date.parse(since))) return undefined;
  const owner = {
    ...{ pid, host },
    startTime: typeof startTime === "string" ? startTime : undefined,
    boot: typeof boot === "string" ? boot : undefined,
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

export function abandon(token: string): void {
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
  if (abandoned.has(entry.token)) return true;
  const { files, identity, now } = reader;
  const { pid, startTime, boot, host } = entry.owner;
  const isOld = now.getTime() - entry.mtimeMs > UNPROVABLE_MS;
  if (pid === undefined) return isOld;
  if (host === undefined) {
    // A bare process ID belongs to the machine with the file.
    if (isOld || files.isRemote) return isOld;
    return (
      !(await isRunning(files.host, pid)) || (await startedAfter(files.host, pid, entry.mtimeMs))
    );
  }
  if (host !== identity.host) return isOld;
  if (boot !== undefined && identity.boot !== undefined && boot !== identity.boot) return true;
  // A run writes its start time if the machine has one, so a lock without it is not of a run.
  if (startTime === undefined && identity.startTime !== undefined) return true;
  return !(await isRunning(files.host, pid, startTime));
}
