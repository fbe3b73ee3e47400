import { constants, stat as statByCallback, type BigIntStats } from "node:fs";
import { access, open, readdir, readlink, stat, type FileHandle } from "node:fs/promises";
import { err, ok, type Result } from "neverthrow";
import { describeError, errorCode } from "@/common/errors";
import { boundedReads } from "@/node/runtime/local/boundedReads";
import { folderNotFile, specialFile } from "@/node/runtime/messages";
import type { FileFailure, FileStat, ReadOptions } from "@/node/runtime/HookRuntime";

/** Reads the files of the machine that this program runs on. Never waits for a FIFO or a device. */
export class LocalReads {
  stat(paths: readonly string[]): Promise<FileStat[]> {
    return Promise.all(paths.map(statOne));
  }

  readFile(path: string, options: ReadOptions): Promise<Result<Uint8Array, FileFailure>> {
    return attempt(path, () =>
      withRegularFile(path, constants.O_RDONLY, 0, (file, size) => readBounded(file, size, options))
    );
  }

  list(path: string): Promise<Result<string[], FileFailure>> {
    return attempt(path, () => readdir(path));
  }
}

export type LocalResult<T> = Promise<Result<T, FileFailure>>;

/** Runs an action and converts an error that it throws to a failure. */
export async function attempt<T>(path: string, act: () => Promise<T>): LocalResult<T> {
  try {
    return ok(await act());
  } catch (thrown) {
    return err(failure(path, thrown));
  }
}

export function failure(path: string, thrown: unknown): FileFailure {
  return { path, code: errorCode(thrown) ?? "UNKNOWN", message: describeError(thrown) };
}

/**
 * Uses the callback API: the promise of `node:fs/promises` costs more than the call, and a stop makes a dozen of these.
 */
function readStats(path: string): Promise<BigIntStats | Error> {
  return new Promise((resolve) => {
    statByCallback(path, { bigint: true }, (error, stats) => {
      resolve(error ?? stats);
    });
  });
}

export async function statOne(path: string): Promise<FileStat> {
  try {
    const stats = await readStats(path);
    if (stats instanceof Error) throw stats;
    return presentStat(stats, stats.isFile() && (await isExecutable(path, stats)));
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === "ENOENT") return { kind: "missing", ...((await isLink(path)) && DANGLING) };
    if (code === "ENOTDIR") return { kind: "missing" };
    return { kind: "failed", failure: failure(path, thrown) };
  }
}

export function presentStat(stats: BigIntStats, executable: boolean): FileStat {
  return {
    kind: kindOf(stats),
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeNs) / 1e6,
    ctimeMs: Number(stats.ctimeNs) / 1e6,
    identity: `${stats.dev}:${stats.ino}`,
    executable,
  };
}

export const DANGLING = { dangling: true } as const;

async function isLink(path: string): Promise<boolean> {
  return await readlink(path).then(
    () => true,
    () => false
  );
}

function kindOf(stats: BigIntStats): "file" | "directory" | "other" {
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "directory" : "other";
}

/** Checks the mode first: most files have no execute bit, which saves the call. */
async function isExecutable(path: string, { mode }: BigIntStats): Promise<boolean> {
  if ((mode & 0o111n) === 0n) return false;
  return await access(path, constants.X_OK).then(
    () => true,
    () => false
  );
}

/**
 * Opens a regular file only: opening a FIFO waits for its other end, and opening a device may have any effect.
 * O_NONBLOCK is for a file that is replaced between the two calls.
 */
export async function withRegularFile<T>(
  path: string,
  flags: number,
  mode: number,
  use: (file: FileHandle, size: number) => Promise<T>
): Promise<T> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === false) throw notAFile(path, found.isDirectory());
  const file = await open(path, flags | constants.O_NONBLOCK | constants.O_NOCTTY, mode);
  try {
    const opened = await file.stat();
    if (!opened.isFile()) throw notAFile(path, false);
    return await use(file, opened.size);
  } finally {
    await file.close();
  }
}

export function notAFile(path: string, isFolder: boolean): Error {
  const error = new Error(isFolder ? folderNotFile(path) : specialFile(path));
  return Object.assign(error, { code: isFolder ? "EISDIR" : "EINVAL" });
}

async function readBounded(
  file: FileHandle,
  size: number,
  options: ReadOptions
): Promise<Uint8Array> {
  const reads = boundedReads(size, options);
  let next = reads.next();
  while (next.done !== true) {
    const { buffer, position } = next.value;
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    next = reads.next(bytesRead);
  }
  return next.value;
}
