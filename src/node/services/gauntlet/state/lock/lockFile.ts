/** Reads a lock file: ours, the existing tool's bare process ID, or an unknown format (G17). */
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { sha256 } from "@/common/hash";
import { isJsonObject, parseJson } from "@/common/json";
import { KIB } from "@/common/limits";
import { uniqueName } from "@/common/uniqueName";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import type { ProcessIdentity } from "@/node/services/gauntlet/state/lock/processIdentity";

export const LOCK_FILE = ".gauntlet-run.lock";

export function lockPath(logDir: string): string {
  return join(logDir, LOCK_FILE);
}

/** The owner that a lock file names, if it names one. */
export type LockOwner =
  | { readonly kind: "process"; readonly process: ProcessIdentity }
  | { readonly kind: "number"; readonly pid: number }
  | { readonly kind: "unknown" };

export interface LockEntry {
  /** Unique to this lock: 32 hexadecimal digits. */
  readonly token: string;
  readonly owner: LockOwner;
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
  return ok({
    token: sha256(`${identity} ${mtimeMs} ${text}`, TOKEN_LENGTH),
    owner: readNumber(text),
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
  return `${describeOwner(owner)}, since ${since}`;
}

function describeOwner(owner: LockOwner): string {
  switch (owner.kind) {
    case "process":
      return lockOwner(owner.process.pid, owner.process.host);
    case "number":
      return lockOwner(owner.pid);
    case "unknown":
      return "an unknown program";
  }
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
  const identity = {
    pid,
    ...(typeof startTime === "string" ? { startTime } : {}),
    ...(typeof boot === "string" ? { boot } : {}),
    host,
  };
  return { token, owner: { kind: "process", process: identity }, since };
}

function readNumber(text: string): LockOwner {
  const trimmed = text.trim();
  const pid = /^\d+$/.test(trimmed) ? Number(trimmed) : undefined;
  return isPid(pid) ? { kind: "number", pid } : { kind: "unknown" };
}

function isPid(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 0x7fffffff;
}

/** @param host absent if the lock does not name it */
function lockOwner(pid: number, host?: string): string {
  return `process ${pid}${host === undefined ? "" : ` on ${host}`}`;
}
