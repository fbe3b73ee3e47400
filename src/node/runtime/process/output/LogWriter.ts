import type { Readable } from "node:stream";
import { err, ok, type Result } from "neverthrow";
import { describeError, errorCode } from "@/common/errors";
import { KIB, MIB } from "@/common/limits";
import { HeadTailLog } from "@/node/runtime/process/output/HeadTailLog";
import { releaseBuffer } from "@/node/runtime/process/releaseBuffer";
import type { ProgramOutput } from "@/node/runtime/process/output/programOutput";
import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";
import type {
  CapturedOutput,
  ExecResult,
  FileFailure,
  LogTarget,
} from "@/node/runtime/HookRuntime";
import { readBytes } from "@/node/runtime/process/output/readBytes";

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
export class LogWriter implements ProgramOutput {
  readonly #target: LogTarget;
  readonly #log: HeadTailLog;
  readonly #pipes: Readable[] = [];
  readonly #counts = { stdout: 0, stderr: 0 };
  #queue: Buffer[] = [];
  #queued = 0;
  #queueLimit = QUEUE_BYTES;
  #writing: Promise<void> | undefined;
  #failure: FileFailure | undefined;

  private constructor(target: LogTarget, log: HeadTailLog) {
    this.#target = target;
    this.#log = log;
  }

  static async open(target: LogTarget): Promise<Result<LogWriter, FileFailure>> {
    const { path, keepBytes, header } = target;
    try {
      return ok(new LogWriter(target, await HeadTailLog.open(path, keepBytes, header)));
    } catch (thrown) {
      return err(failureOf(path, thrown));
    }
  }

  listen({ stdout, stderr }: ProcessGroup): void {
    this.#take(stdout, "stdout");
    this.#take(stderr, "stderr");
  }

  programEnds(): boolean {
    this.#queueLimit = LAST_QUEUE_BYTES;
    this.#resume();
    return true;
  }

  async close(
    ended: Pick<ExecResult, "end" | "durationMs">
  ): Promise<Pick<ExecResult, "stdout" | "stderr" | "logFailure">> {
    await this.#writing;
    const footer = this.#failure === undefined ? await this.#target.footer?.(ended) : undefined;
    try {
      await this.#log.close(footer);
    } catch (thrown) {
      this.#failure ??= failureOf(this.#target.path, thrown);
    }
    return {
      stdout: nothingKept(this.#counts.stdout),
      stderr: nothingKept(this.#counts.stderr),
      logFailure: this.#failure,
    };
  }

  #take(pipe: Readable, name: "stdout" | "stderr"): void {
    this.#pipes.push(pipe);
    readBytes(pipe, (chunk) => {
      this.#counts[name] += chunk.length;
      if (this.#failure !== undefined) {
        releaseBuffer(chunk);
        return;
      }
      this.#queue.push(chunk);
      this.#queued += weightOf(chunk);
      if (this.#queued >= this.#queueLimit) this.#pause();
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
        if (this.#failure === undefined) await this.#log.append(chunks);
      } catch (thrown) {
        this.#failure = failureOf(this.#target.path, thrown);
      }
      for (const chunk of chunks) {
        this.#queued -= weightOf(chunk); // Before the chunk is freed and its length is 0.
        releaseBuffer(chunk);
      }
      this.#resume();
    }
    this.#writing = undefined;
  }

  #pause(): void {
    for (const pipe of this.#pipes) pipe.pause();
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

function failureOf(path: string, thrown: unknown): FileFailure {
  return { path, code: errorCode(thrown) ?? "UNKNOWN", message: describeError(thrown) };
}

function nothingKept(bytes: number): CapturedOutput {
  return { text: "", bytes, truncated: bytes > 0 };
}
