/**
 * Keeps the first and the last part of a program's output in memory, and passes its beginning on while the program runs
 * (H20). `LogWriter` and remote programs share its functions for reading and freeing chunks, cut characters, and
 * results without output.
 */
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { KEPT_OUTPUT_BYTES, KIB, MAX_LIVE_CHARS } from "@/common/limits";
import type * as port from "@/node/runtime/HookRuntime";
import { leftOut } from "@/node/runtime/messages";
import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";

/**
 * Keeps the first and the last half of `keepBytes` of a byte stream and counts the rest (H20).
 *
 * One buffer holds the head and, behind it, a window over the tail that is twice as long as the tail that is kept. When
 * the window is full its last half moves to its start. Every byte is copied about twice, no chunk is retained, and the
 * buffer only grows with the output.
 */
export class OutputCapture {
  readonly #head: number;
  readonly #tail: number;
  #buffer = Buffer.alloc(0);
  #length = 0;
  #bytes = 0;

  constructor(keepBytes = KEPT_OUTPUT_BYTES) {
    this.#head = Math.ceil(keepBytes / 2);
    this.#tail = Math.floor(keepBytes / 2);
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#head === 0) return;
    for (let at = 0; at < chunk.length;) {
      const room = this.#makeRoom(chunk.length - at);
      this.#buffer.set(chunk.subarray(at, at + room), this.#length);
      this.#length += room;
      at += room;
    }
  }

  /** Returns the output kept so far. */
  read(): port.CapturedOutput {
    const bytes = this.#bytes;
    const truncated = bytes > this.#head + this.#tail;
    if (!truncated)
      return { text: this.#buffer.toString("utf8", 0, this.#length), bytes, truncated };
    const head = withoutCutEnd(this.#buffer.subarray(0, Math.min(this.#head, this.#length)));
    const tail = withoutCutStart(
      this.#buffer.subarray(Math.max(this.#head, this.#length - this.#tail), this.#length)
    );
    // Puts the marker on a line of its own, so that no surrounding JSON stays valid.
    const newline = head.length === 0 || head.at(-1) === NEWLINE ? "" : "\n";
    const marker = newline + leftOut(bytes - head.length - tail.length);
    return { text: head.toString("utf8") + marker + tail.toString("utf8"), bytes, truncated };
  }

  /** Returns how many of `wanted` bytes may be written at the end of the buffer: at least one. */
  #makeRoom(wanted: number): number {
    const max = this.#head + 2 * Math.max(this.#tail, 1);
    if (this.#length === max) {
      this.#buffer.copyWithin(this.#head, this.#length - this.#tail, this.#length);
      this.#length = this.#head + this.#tail;
    }
    const needed = Math.min(this.#length + wanted, max);
    if (needed > this.#buffer.length) {
      const size = Math.min(Math.max(needed, 2 * this.#buffer.length, FIRST_SIZE), max);
      const grown = Buffer.allocUnsafeSlow(size);
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    return needed - this.#length;
  }
}

/** The part of a result that is known before the output is closed. */
export type Ended = Pick<port.ExecResult, "end" | "durationMs">;
export type Output = Pick<port.ExecResult, "stdout" | "stderr" | "logFailure">;

/** Returns the result of a stream of which nothing is kept. */
export function nothingKept(bytes = 0): port.CapturedOutput {
  return { text: "", bytes, truncated: bytes > 0 };
}

/** Returns the result of a program that was not started because its log could not be opened. */
export function logNotOpened(failure: Pick<port.FileFailure, "code" | "message">): port.ExecResult {
  const message = `its log cannot be written: ${failure.message}`;
  const end = { kind: "notStarted", code: failure.code, message } as const;
  return { end, stdout: nothingKept(), stderr: nothingKept(), durationMs: 0 };
}

const FIRST_SIZE = 4 * KIB;
const NEWLINE = 0x0a;

/** Removes a character from the end if its last bytes are missing. */
export function withoutCutEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Removes the last bytes of a character from the start if its first byte is missing. */
export function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start++;
  return bytes.subarray(start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function sequenceLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

/**
 * Keeps the start and the end of both streams in memory (H20). Drops output printed while the program is being ended.
 */
export class ProgramCapture {
  readonly #stdout: OutputCapture;
  readonly #stderr: OutputCapture;
  #listening = true;

  constructor(
    keepBytes: number | undefined,
    private readonly onOutput?: port.ExecRequest["onOutput"]
  ) {
    this.#stdout = new OutputCapture(keepBytes);
    this.#stderr = new OutputCapture(keepBytes);
  }

  listen({ stdout, stderr }: ProcessGroup): void {
    this.#take(stdout, this.#stdout, this.#viewer(false));
    this.#take(stderr, this.#stderr, this.#viewer(true));
  }

  /** @returns whether the remaining output is wanted */
  programEnds(how: "exited" | "stopped"): boolean {
    this.#listening = how === "exited";
    return this.#listening;
  }

  close(): Promise<{ stdout: port.CapturedOutput; stderr: port.CapturedOutput }> {
    return Promise.resolve({ stdout: this.#stdout.read(), stderr: this.#stderr.read() });
  }

  #take(pipe: Readable, capture: OutputCapture, view?: (chunk: Buffer) => void): void {
    readBytes(pipe, (chunk) => {
      if (this.#listening) {
        capture.push(chunk);
        view?.(chunk);
      }
      releaseBuffer(chunk);
    });
  }

  /** Returns a function that passes the beginning of a stream on as text. */
  #viewer(isError: boolean): ((chunk: Buffer) => void) | undefined {
    const { onOutput } = this;
    if (onOutput === undefined) return undefined;
    const decoder = new StringDecoder("utf8");
    let left = MAX_LIVE_CHARS;
    return (chunk) => {
      if (left <= 0) return;
      const text = decoder.write(chunk).slice(0, left);
      left -= text.length;
      if (text !== "") onOutput(text, isError);
    };
  }
}

/** The encoding in which Bun decodes the output of a program. It keeps every byte. */
export const PIPE_ENCODING = "latin1";

/** Calls `listener` with each chunk of a program's output. Node emits buffers, and Bun emits decoded text. */
export function readBytes(pipe: Readable, listener: (chunk: Buffer) => void): void {
  pipe.on("data", (chunk: Buffer | string) => {
    listener(typeof chunk === "string" ? Buffer.from(chunk, PIPE_ENCODING) : chunk);
  });
}

/** Releasing a smaller chunk is not worth the call. */
const WORTH_IT_BYTES = 2048;

/** Also the type of a browser's port, which a host may have in its place. */
interface Port {
  close(): void;
  postMessage(message: undefined, transfer: ArrayBuffer[]): void;
}

let nowhere: Port | undefined;

/**
 * Frees a chunk from a pipe now, not at the next garbage collection: V8 lets 32 MiB of such buffers accumulate first
 * (H20). A message to a closed port takes ownership of the buffer, as the standard requires, and is dropped with it.
 * The chunk is empty afterwards.
 */
export function releaseBuffer(chunk: Buffer): void {
  const { buffer } = chunk;
  // A slice of a shared pool must not be emptied. A chunk from a pipe has a buffer of its own.
  if (chunk.length < WORTH_IT_BYTES || buffer.byteLength !== chunk.length) return;
  if (nowhere === undefined) {
    // The global class: `node:worker_threads` takes several milliseconds to load.
    nowhere = new MessageChannel().port1;
    nowhere.close();
  }
  if (buffer instanceof ArrayBuffer) nowhere.postMessage(undefined, [buffer]);
}
