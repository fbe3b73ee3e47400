/**
 * Reads the hook's input, one JSON object, from standard input, and writes its answer to a descriptor, for hooks that
 * must start fast: without the streams of Node if possible (G22, G23).
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from "node:fs";
import type { Output } from "@/cli/context";
import { errorCode, tryOr } from "@/common/errors";
import type { JsonObject } from "@/common/json";
import { KIB, MIB } from "@/common/limits";

/** A caller that sends no input may keep it open. */
const LIMIT_MS = 5_000;
const CHUNK_BYTES = 64 * KIB;
const STDIN = 0;

/**
 * Returns the object, or undefined if none arrives. Does not wait for the end of the input, does not keep the process
 * alive, and never throws.
 */
export async function readStdin(): Promise<JsonObject | undefined> {
  const gathered = new ObjectGatherer();
  if (!readWhatIsThere(gathered)) await readStream(gathered);
  const { text } = gathered;
  // The gatherer returns only text that begins with a brace.
  return text === undefined ? undefined : tryOr(() => JSON.parse(text) as JsonObject, undefined);
}

/**
 * Reads the input that has already arrived, which is nearly always all of it. Using `process.stdin` costs a twentieth
 * of Node's start. But a blocking read, even in a thread, cannot be cancelled, and the process cannot end before it. So
 * this only does reads that do not block.
 *
 * @returns whether no further input has to be read
 */
function readWhatIsThere(gathered: ObjectGatherer): boolean {
  try {
    const stats = fstatSync(STDIN);
    const isNullDevice = stats.rdev !== 0 && stats.rdev === statSync("/dev/null").rdev;
    if (stats.isFile() || isNullDevice) return readAll(STDIN, gathered);
    return stats.isFIFO() && withNonblockingPipe(STDIN, (pipe) => readAll(pipe, gathered));
  } catch {
    // The input is not complete yet, or the stream will report the error.
    return false;
  }
}

function readAll(descriptor: number, gathered: ObjectGatherer): boolean {
  while (!gathered.isDone) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const length = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
    if (length === 0) break;
    gathered.push(chunk.subarray(0, length));
  }
  return true;
}

function readStream(gathered: ObjectGatherer): Promise<void> {
  return new Promise((resolve) => {
    const { stdin } = process;
    const end = (): void => {
      clearTimeout(timer);
      stdin.pause();
      resolve();
    };
    const timer = setTimeout(end, LIMIT_MS);
    stdin.on("data", (chunk: Buffer) => {
      gathered.push(chunk);
      if (gathered.isDone) end();
    });
    stdin.on("end", end);
    stdin.on("error", end);
  });
}

/**
 * Opens the pipe again with O_NONBLOCK, and closes it after use. Does not change the flags of the given descriptor,
 * because other processes may share them.
 */
function withNonblockingPipe<T>(descriptor: number, use: (pipe: number) => T): T {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const pipe = openSync(`/proc/self/fd/${descriptor}`, flags);
  try {
    return use(pipe);
  } finally {
    closeSync(pipe);
  }
}

/** Enough for any last message of an agent. The output of a program that writes without end is not held in memory. */
const MAX_BYTES = 8 * MIB;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const BRACE = 0x7b;
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Finds the end of a JSON object in bytes that arrive in chunks of any size. */
export class ObjectGatherer {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #depth = 0;
  #state: "blank" | "inside" | "inString" | "escaped" | "whole" | "notJson" = "blank";

  /** Whether further input cannot change the result. */
  get isDone(): boolean {
    return this.#state === "whole" || this.#state === "notJson";
  }

  /** The text that begins and ends like an object, without the text after it. Undefined if it is not complete. */
  get text(): string | undefined {
    return this.#state === "whole" ? Buffer.concat(this.#chunks).toString("utf8") : undefined;
  }

  /** Keeps the chunk without copying it: it must not be changed afterwards. */
  push(chunk: Uint8Array): void {
    let end = 0;
    while (end < chunk.length && !this.isDone) this.#take(chunk[end++] ?? 0);
    this.#bytes += end;
    if (this.#bytes > MAX_BYTES) this.#state = "notJson";
    if (this.#state === "notJson") this.#chunks.length = 0;
    else this.#chunks.push(chunk.subarray(0, end));
  }

  #take(byte: number): void {
    switch (this.#state) {
      case "blank":
        if (BLANK.has(byte)) return;
        this.#state = byte === BRACE ? "inside" : "notJson";
        this.#depth = 1;
        return;
      case "inString":
        if (byte === QUOTE) this.#state = "inside";
        else if (byte === BACKSLASH) this.#state = "escaped";
        return;
      case "escaped":
        this.#state = "inString";
        return;
      case "inside":
        if (byte === QUOTE) this.#state = "inString";
        else if (OPENING.has(byte)) this.#depth++;
        else if (CLOSING.has(byte) && --this.#depth === 0) this.#state = "whole";
        return;
      case "whole":
      case "notJson":
    }
  }
}

/** How long to wait before another try if the pipe is full and its owner has made it non-blocking. */
const RETRY_MS = 5;
const MAX_RETRIES = 200;

/**
 * Returns an output that, unlike the streams of the process, costs no time to load. It writes everything, even if the
 * process ends right afterwards, and drops the rest if the reader has stopped reading.
 */
export function descriptorOutput(descriptor: number): Output {
  return {
    write: (text) => {
      let left: Uint8Array = Buffer.from(text);
      for (let retries = 0; left.length > 0 && retries < MAX_RETRIES;) {
        try {
          left = left.subarray(writeSync(descriptor, left));
          retries = 0;
        } catch (thrown) {
          if (errorCode(thrown) !== "EAGAIN") return;
          retries++;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
        }
      }
    },
  };
}
