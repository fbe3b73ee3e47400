/**
 * File operations on this machine, for all local runtimes: stats, bounded reads, lists, appends, renames, removals, and
 * writes of whole files through a temporary file. New files are private by default; no operation waits for a FIFO or a
 * device.
 */
import { type BigIntStats, constants, stat as statByCallback, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { errorCode } from "@/common/errors";
import { KIB } from "@/common/limits";
import { uniqueName } from "@/common/randomName";
import type * as port from "@/node/runtime/HookRuntime";
import { fileFailure, notAFile } from "@/node/runtime/messages";

/** The files of the machine that this program runs on. Never waits for a FIFO or a device. */
export class LocalFiles implements port.Files {
  stat(paths: readonly string[]): Promise<port.FileStat[]> {
    return Promise.all(paths.map(statOne));
  }

  readFile(path: string, options: port.ReadOptions): Promise<Result<Uint8Array, port.FileFailure>> {
    return attempt(path, () =>
      withRegularFile(path, constants.O_RDONLY, 0, async (file, size) => {
        const reads = boundedReads(size, options);
        let next = reads.next();
        while (next.done !== true) {
          const { buffer, position } = next.value;
          const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
          next = reads.next(bytesRead);
        }
        return next.value;
      })
    );
  }

  list(path: string) {
    return attempt(path, () => fs.readdir(path));
  }

  writeFile(path: string, data: string | Uint8Array, options?: port.WriteOptions) {
    return attempt(path, async () => {
      // A symbolic link stays, and so do the mode and the owner of an existing file.
      const target = await fs.realpath(path).catch(() => path);
      const old = await fs.stat(target).catch(() => undefined);
      const file = { ...options, mode: options?.mode ?? PRIVATE, old };
      expectRegular(path, old);
      if (old === undefined) await createFolder(target, file.mode);
      await put(target, data, file, fs.rename);
    });
  }

  createFile(path: string, data: string | Uint8Array, options?: port.WriteOptions) {
    // Unlike a rename, a link never replaces an existing file.
    const file = { ...options, mode: options?.mode ?? PRIVATE };
    return attempt(path, () => put(path, data, file, fs.link));
  }

  appendFile(path: string, data: string | Uint8Array, options?: port.WriteOptions) {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
    const mode = options?.mode ?? PRIVATE;
    const append = () => withRegularFile(path, flags, mode, (file) => file.writeFile(data));
    return attempt(path, () => inFolder(path, mode, append));
  }

  rename(from: string, to: string) {
    return attempt(from, () => inFolder(to, PRIVATE, () => fs.rename(from, to)));
  }

  remove(path: string) {
    return attempt(path, () => fs.rm(path, { recursive: true, force: true }));
  }
}

/** The mode of new files, which may contain parts of a session's conversation. */
const PRIVATE = 0o600;
const OWNER = 0o700;
const OTHERS = 0o077;

interface NewFile extends port.WriteOptions {
  readonly mode: number;
  /** The file that it replaces. */
  readonly old?: Stats | undefined;
}

/** Writes the data to a temporary file, and puts that in its place. */
async function put(
  path: string,
  data: string | Uint8Array,
  options: NewFile,
  place: (temporary: string, path: string) => Promise<void>
): Promise<void> {
  const temporary = `${path}.${uniqueName().slice(0, 16)}`;
  try {
    await inFolder(temporary, options.mode, () => writeNew(temporary, data, options));
    await place(temporary, path);
  } finally {
    await fs.rm(temporary, { force: true });
  }
}

/** Creates the folder only if `act` failed without it, because it nearly always exists. */
async function inFolder(path: string, mode: number, act: () => Promise<void>): Promise<void> {
  await act().catch(async (thrown: unknown) => {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
    await createFolder(path, mode);
    await act();
  });
}

/**
 * Creates the folder of the file. The folder of a private file is never writable for all users, regardless of the
 * umask.
 */
async function createFolder(path: string, mode: number): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true, mode: (mode & OTHERS) === 0 ? 0o775 : 0o777 });
}

async function writeNew(
  path: string,
  data: string | Uint8Array,
  { mode, old, isDisposable }: NewFile
): Promise<void> {
  const file = await fs.open(path, "wx", mode);
  try {
    const created = await file.stat();
    if (old === undefined) {
      // The umask decides what others may do, but not what the owner may.
      const allowed = (mode & OTHERS) === 0 ? 0 : created.mode;
      await file.chmod((allowed & OTHERS) | (mode & OWNER));
    } else {
      // Only root can give a file away.
      const isSame = created.uid === old.uid && created.gid === old.gid;
      if (!isSame) await file.chown(old.uid, old.gid).catch(() => undefined);
      await file.chmod(old.mode);
    }
    await file.writeFile(data);
    if (isDisposable !== true && data.length > 0) await file.sync();
  } finally {
    await file.close();
  }
}

export type LocalResult<T> = Promise<Result<T, port.FileFailure>>;

/** Runs an action and converts an error that it throws to a failure. */
async function attempt<T>(
  path: string,
  act: () => Promise<T>
): Promise<Result<T, port.FileFailure>> {
  try {
    return ok(await act());
  } catch (thrown) {
    return err(fileFailure(path, thrown));
  }
}

async function statOne(path: string): Promise<port.FileStat> {
  try {
    // The promise of `node:fs/promises` costs more than the call, and a stop makes a dozen of these.
    const stats = await new Promise<BigIntStats>((resolve, reject) => {
      statByCallback(path, { bigint: true }, (error, found) => {
        if (error === null) resolve(found);
        else reject(error);
      });
    });
    return presentStat(stats, stats.isFile() && (await isExecutable(path, stats)));
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === "ENOENT") {
      const isLink = (await fs.readlink(path).catch(() => undefined)) !== undefined;
      return { kind: "missing", ...(isLink && DANGLING) };
    }
    if (code === "ENOTDIR") return { kind: "missing" };
    return { kind: "failed", failure: fileFailure(path, thrown) };
  }
}

export function presentStat(stats: BigIntStats, executable: boolean): port.FileStat {
  return {
    kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other",
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeNs) / 1e6,
    ctimeMs: Number(stats.ctimeNs) / 1e6,
    identity: `${stats.dev}:${stats.ino}`,
    executable,
  };
}

export const DANGLING = { dangling: true } as const;

/** Checks the mode first: most files have no execute bit, which saves the call. */
async function isExecutable(path: string, { mode }: BigIntStats): Promise<boolean> {
  if ((mode & 0o111n) === 0n) return false;
  return await fs.access(path, constants.X_OK).then(
    () => true,
    () => false
  );
}

/**
 * Opens a regular file only: opening a FIFO waits for its other end, and opening a device may have any effect.
 * O_NONBLOCK is for a file that is replaced between the two calls.
 */
async function withRegularFile<T>(
  path: string,
  flags: number,
  mode: number,
  use: (file: fs.FileHandle, size: number) => Promise<T>
): Promise<T> {
  expectRegular(path, await fs.stat(path).catch(() => undefined));
  const file = await fs.open(path, flags | constants.O_NONBLOCK | constants.O_NOCTTY, mode);
  try {
    const opened = await file.stat();
    expectRegular(path, opened);
    return await use(file, opened.size);
  } finally {
    await file.close();
  }
}

/** Throws for a folder, a FIFO, a socket or a device. */
export function expectRegular(path: string, found: Stats | undefined): void {
  if (found === undefined || found.isFile()) return;
  const code = found.isDirectory() ? "EISDIR" : "EINVAL";
  throw Object.assign(new Error(notAFile[code](path)), { code });
}

interface Read {
  readonly buffer: Buffer;
  /** Where to read in the file. */
  readonly position: number;
}

/**
 * Yields each read of a file, is given how many bytes it returned, and returns all bytes. Reads up to the end or the
 * limit, not up to the size: a file may grow, and those of /proc have size 0.
 */
export function* boundedReads(
  size: number,
  { maxBytes, tail = false, offset = 0 }: port.ReadOptions
): Generator<Read, Uint8Array, number> {
  let position = tail ? Math.max(0, size - maxBytes) : offset;
  const chunks: Buffer[] = [];
  for (let left = maxBytes; left > 0;) {
    const wanted = Math.min(left, Math.max(size - position, 0) + CHUNK_BYTES);
    const buffer = Buffer.allocUnsafeSlow(wanted);
    const bytesRead = yield { buffer, position };
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    position += bytesRead;
    left -= bytesRead;
    // A read of a file on a disk returns all there is; one of a file in /proc may return a part.
    if (size > 0 && bytesRead < wanted) break;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

const CHUNK_BYTES = 4 * KIB;
