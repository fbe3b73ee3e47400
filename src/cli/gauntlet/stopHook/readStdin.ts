/** Reads one JSON object from standard input, which may be a pipe, a socket, a file, a terminal, or nothing (G22). */
import { fstatSync, readSync, statSync, type Stats, closeSync, constants, openSync } from "node:fs";
import { ObjectGatherer } from "@/cli/gauntlet/stopHook/ObjectGatherer";
import type { JsonObject } from "@/common/json";
import { KIB } from "@/common/limits";

/** A caller that sends no input may keep it open. */
const LIMIT_MS = 5_000;
const CHUNK_BYTES = 64 * KIB;
const STDIN = 0;

/**
 * Returns undefined if no object arrives. Does not wait for the end of the input, does not keep the process alive, and
 * never throws.
 */
export async function readStdin(): Promise<JsonObject | undefined> {
  const gathered = new ObjectGatherer();
  if (!readWhatIsThere(gathered)) await readStream(gathered);
  return gathered.text === undefined ? undefined : parseObject(gathered.text);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    // The gatherer returns only text that begins with a brace.
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
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
    if (stats.isFile() || isNullDevice(stats)) return readAll(STDIN, gathered);
    return stats.isFIFO() && withNonblockingPipe(STDIN, (pipe) => readAll(pipe, gathered));
  } catch {
    // The input is not complete yet, or the stream will report the error.
    return false;
  }
}

function isNullDevice({ rdev }: Stats): boolean {
  return rdev !== 0 && rdev === statSync("/dev/null").rdev;
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
