/**
 * Writes the output of a running program to a log file, between a header and a footer, and keeps only its first and its
 * last part (G11). A program waits for a slow disk; a failed write does not end it, but is returned.
 */
import type { Readable } from "node:stream";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { errorCode } from "@/common/errors";
import { KIB, MIB } from "@/common/limits";
import type { FileFailure, LogTarget } from "@/node/runtime/HookRuntime";
import { fileFailure, leftOut, notAFile } from "@/node/runtime/messages";
import * as capture from "@/node/runtime/process/output/OutputCapture";
import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";

/** How much may wait for the disk. Above this the pipes are not read, so the program waits too. */
const QUEUE_BYTES = MIB;
/**
 * How much may wait for the disk once the program is over: more than its pipes can hold, so that all its output is read
 * in time.
 */
const LAST_QUEUE_BYTES = 4 * MIB;

/**
 * Appends both streams to a file as they arrive, at the pace of the disk (G11). Includes output printed while the
 * program is being ended.
 */
export class LogWriter {
  readonly #pipes: Readable[] = [];
  readonly #counts = { stdout: 0, stderr: 0 };
  #queue: Buffer[] = [];
  #queued = 0;
  #queueLimit = QUEUE_BYTES;
  #writing: Promise<void> | undefined;
  #failure: FileFailure | undefined;

  private constructor(
    private readonly target: LogTarget,
    private readonly log: HeadTailLog
  ) {}

  /** Opens the log and writes its header. */
  static async open(target: LogTarget): Promise<Result<LogWriter, FileFailure>> {
    const { path, keepBytes, header } = target;
    try {
      return ok(new LogWriter(target, await HeadTailLog.open(path, keepBytes, header)));
    } catch (thrown) {
      return err(fileFailure(path, thrown));
    }
  }

  listen({ stdout, stderr }: ProcessGroup): void {
    this.#take(stdout, "stdout");
    this.#take(stderr, "stderr");
  }

  /** Lets the queue grow, so that all output is read in time. Returns true: the remaining output is wanted. */
  programEnds(): boolean {
    this.#queueLimit = LAST_QUEUE_BYTES;
    this.#resume();
    return true;
  }

  /** Writes the remaining output and the footer, and returns the byte counts. */
  async close(ended: capture.Ended): Promise<capture.Output> {
    await this.#writing;
    const footer = this.#failure === undefined ? await this.target.footer?.(ended) : undefined;
    try {
      await this.log.close(footer);
    } catch (thrown) {
      this.#failure ??= fileFailure(this.target.path, thrown);
    }
    return {
      stdout: capture.nothingKept(this.#counts.stdout),
      stderr: capture.nothingKept(this.#counts.stderr),
      logFailure: this.#failure,
    };
  }

  #take(pipe: Readable, name: "stdout" | "stderr"): void {
    this.#pipes.push(pipe);
    capture.readBytes(pipe, (chunk) => {
      this.#counts[name] += chunk.length;
      if (this.#failure !== undefined) {
        capture.releaseBuffer(chunk);
        return;
      }
      this.#queue.push(chunk);
      this.#queued += weightOf(chunk);
      if (this.#queued >= this.#queueLimit) for (const each of this.#pipes) each.pause();
      this.#writing ??= this.#write();
    });
  }

  /**
   * Writes until the queue is empty. After a failure output is only counted: a missing log must not fail the program.
   */
  async #write(): Promise<void> {
    while (this.#queue.length > 0) {
      const chunks = this.#queue;
      this.#queue = [];
      try {
        if (this.#failure === undefined) await this.log.append(chunks);
      } catch (thrown) {
        this.#failure = fileFailure(this.target.path, thrown);
      }
      for (const chunk of chunks) {
        this.#queued -= weightOf(chunk); // Before the chunk is freed and its length is 0.
        capture.releaseBuffer(chunk);
      }
      this.#resume();
    }
    this.#writing = undefined;
  }

  #resume(): void {
    if (this.#queued >= this.#queueLimit) return;
    for (const pipe of this.#pipes) if (pipe.isPaused()) pipe.resume();
  }
}

/** Returns the cost of a chunk, with a fixed part because a program may print one byte at a time. */
function weightOf({ length }: Buffer): number {
  return length + KIB;
}

/** How far the file may exceed twice what is kept, so that a small limit does not mean work for every write. */
const SLACK_BYTES = MIB;
const COPY_BYTES = 256 * KIB;

/**
 * Appends to a file and keeps the first and the last half of `keepBytes` of what it appends (G11).
 *
 * The file is always in order, so it stays readable if the host is killed. It grows to about twice what is kept. Then
 * its end moves up to its beginning, with a line between them that gives the number of bytes removed.
 */
export class HeadTailLog {
  readonly #start: number;
  readonly #tail: number;
  readonly #fullAt: number;
  /** The end of the first half, once it is cut. */
  #cut: Cut | undefined;
  /** The start of the part of which only the end is kept. */
  #tailStart: number;
  #end: number;
  #bytes = 0;
  #isLineOpen = false;

  private constructor(
    private readonly file: FileHandle,
    start: number,
    keepBytes: number
  ) {
    this.#start = this.#end = start;
    this.#tail = Math.floor(keepBytes / 2);
    this.#tailStart = start + Math.ceil(keepBytes / 2);
    this.#fullAt = start + 2 * keepBytes + SLACK_BYTES;
  }

  /**
   * Opens a log after the existing content of a file, and writes a header. Creates the file, with mode 0600, and
   * missing folders. Throws if the file is not regular, or cannot be opened or written.
   */
  static async open(path: string, keepBytes: number, header = ""): Promise<HeadTailLog> {
    const file = await openForUpdate(path);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) {
        throw Object.assign(new Error(notAFile.EINVAL(path)), { code: "EINVAL" });
      }
      const before = Buffer.from(header);
      if (before.length > 0) await writeAll(file, [before], stats.size);
      return new HeadTailLog(file, stats.size + before.length, keepBytes);
    } catch (thrown) {
      await file.close();
      throw thrown;
    }
  }

  /** Appends chunks. Throws if the disk does not accept them. One call at a time. */
  async append(chunks: readonly Uint8Array[]): Promise<void> {
    await writeAll(this.file, chunks, this.#end);
    const length = totalLength(chunks);
    this.#end += length;
    this.#bytes += length;
    this.#isLineOpen = chunks.at(-1)?.at(-1) !== NEWLINE;
    if (this.#end > this.#fullAt) await this.#shorten();
  }

  /**
   * Cuts the file to what is to be kept, and adds a footer on a line of its own. Throws if the disk does not accept it.
   */
  async close(footer = ""): Promise<void> {
    try {
      await this.#shorten();
      const line = this.#isLineOpen ? `\n${footer}` : footer;
      if (footer !== "") await writeAll(this.file, [Buffer.from(line)], this.#end);
    } finally {
      await this.file.close();
    }
  }

  async #shorten(): Promise<void> {
    if (this.#end - this.#tailStart <= this.#tail) return;
    this.#cut ??= await this.#cutBeginning();
    const from = this.#end - this.#tail + (await this.#cutCharacterAt(this.#end - this.#tail));
    const left = this.#cut.at - this.#start + (this.#end - from);
    const line = Buffer.from(this.#cut.newline + leftOut(this.#bytes - left));
    const to = this.#cut.at + line.length;
    if (to > from) return; // The line would be longer than the bytes that it replaces.
    await writeAll(this.file, [line], this.#cut.at);
    await this.#move(from, to);
    await this.file.truncate(this.#end);
    this.#tailStart = to;
  }

  /** Returns where the first half ends with a whole character. */
  async #cutBeginning(): Promise<Cut> {
    const half = this.#tailStart - this.#start;
    const last = await this.#read(this.#tailStart - Math.min(4, half), Math.min(4, half));
    const whole = capture.withoutCutEnd(last);
    return {
      at: this.#tailStart - last.length + whole.length,
      newline: whole.length === 0 || whole.at(-1) === NEWLINE ? "" : "\n",
    };
  }

  /** Returns how many bytes at that position belong to a character that begins before it. */
  async #cutCharacterAt(position: number): Promise<number> {
    const first = await this.#read(position, Math.min(3, this.#tail));
    return first.length - capture.withoutCutStart(first).length;
  }

  /** Moves everything after `from` to `to`, which comes before it. */
  async #move(from: number, to: number): Promise<void> {
    const buffer = Buffer.allocUnsafeSlow(COPY_BYTES);
    let moved = 0;
    while (from + moved < this.#end) {
      const { bytesRead } = await this.file.read(buffer, 0, buffer.length, from + moved);
      if (bytesRead === 0) break; // Another process has truncated the file.
      await writeAll(this.file, [buffer.subarray(0, bytesRead)], to + moved);
      moved += bytesRead;
    }
    this.#end = to + moved;
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  }
}

async function openForUpdate(path: string): Promise<FileHandle> {
  // Opening a FIFO must not wait for its other end. No O_APPEND: it ignores the position of a write.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;
  return await open(path, flags, 0o600).catch(async (thrown: unknown) => {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
    await mkdir(dirname(path), { recursive: true });
    return await open(path, flags, 0o600);
  });
}

/** Writes all chunks. A write cut short by a full disk does not throw; the next one does. */
async function writeAll(
  file: FileHandle,
  chunks: readonly Uint8Array[],
  position: number
): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, position);
  if (bytesWritten >= totalLength(chunks)) return;
  let rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let at = position + bytesWritten; rest.length > 0;) {
    const { bytesWritten: more } = await file.write(rest, 0, rest.length, at);
    rest = rest.subarray(more);
    at += more;
  }
}

interface Cut {
  readonly at: number;
  /** Puts the following line on a line of its own. */
  readonly newline: string;
}

const NEWLINE = 0x0a;

function totalLength(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
