/**
 * The runtime of the gauntlet's commands on this machine, such as `agent-gauntlet stop-hook`, which must start fast: it
 * reads files synchronously, does not load execa, and starts the watcher of process groups in advance.
 */
import * as fs from "node:fs";
import { setImmediate } from "node:timers";
import { err, ok } from "neverthrow";
import { errorCode } from "@/common/errors";
import * as files from "@/node/runtime/local/LocalFiles";
import { BaseLocalRuntime } from "@/node/runtime/local/BaseLocalRuntime";
import { fileFailure } from "@/node/runtime/messages";
import { prepareToHold } from "@/node/runtime/process/killOnExit";
import { runProgram } from "@/node/runtime/process/runProgram";
import type { FileStat, ReadOptions } from "@/node/runtime/HookRuntime";

/**
 * A workspace on this machine, for a command that must start fast. Reads are synchronous, because a command has nothing
 * else to do in that time, and a promise for each call takes several times as long.
 */
export class FastStartRuntime extends BaseLocalRuntime {
  constructor({ env = process.env }: { readonly env?: Readonly<NodeJS.ProcessEnv> } = {}) {
    super({ env, run: runProgram });
  }

  /** Starts the watcher of process groups soon. A host has no need to: its spawner watches its programs. */
  expectPrograms(): void {
    setImmediate(prepareToHold);
  }

  override stat(paths: readonly string[]): Promise<FileStat[]> {
    return Promise.resolve(paths.map(statNow));
  }

  override readFile(path: string, options: ReadOptions): files.LocalResult<Uint8Array> {
    return attemptNow(path, () => readNow(path, options));
  }

  override list(path: string): files.LocalResult<string[]> {
    return attemptNow(path, () => fs.readdirSync(path));
  }
}

function attemptNow<T>(path: string, act: () => T): files.LocalResult<T> {
  try {
    return Promise.resolve(ok(act()));
  } catch (thrown) {
    return Promise.resolve(err(fileFailure(path, thrown)));
  }
}

function statNow(path: string): FileStat {
  try {
    const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) {
      const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
      return { kind: "missing", ...(isLink && files.DANGLING) };
    }
    return files.presentStat(stats, stats.isFile() && isExecutable(path, stats));
  } catch (thrown) {
    if (errorCode(thrown) === "ENOTDIR") return { kind: "missing" };
    return { kind: "failed", failure: fileFailure(path, thrown) };
  }
}

function isExecutable(path: string, { mode }: fs.BigIntStats): boolean {
  if ((mode & 0o111n) === 0n) return false;
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Opens a regular file only: see `withRegularFile`. */
function readNow(path: string, options: ReadOptions): Uint8Array {
  files.expectRegular(path, fs.statSync(path, { throwIfNoEntry: false }));
  const file = fs.openSync(
    path,
    fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY
  );
  try {
    const opened = fs.fstatSync(file);
    files.expectRegular(path, opened);
    const reads = files.boundedReads(opened.size, options);
    let next = reads.next();
    while (next.done !== true) {
      const { buffer, position } = next.value;
      next = reads.next(fs.readSync(file, buffer, 0, buffer.length, position));
    }
    return next.value;
  } finally {
    fs.closeSync(file);
  }
}
